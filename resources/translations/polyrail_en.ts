<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>CanvasModel</name>
    <message numerus="yes">
        <source>%n GPUs</source>
        <translation>
            <numerusform>%n GPU</numerusform>
            <numerusform>%n GPUs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message numerus="yes">
        <source>%n device(s) added</source>
        <translation>
            <numerusform>%n device added</numerusform>
            <numerusform>%n devices added</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n device(s) removed</source>
        <translation>
            <numerusform>%n device removed</numerusform>
            <numerusform>%n devices removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n link(s) added</source>
        <translation>
            <numerusform>%n link added</numerusform>
            <numerusform>%n links added</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n link(s) removed</source>
        <translation>
            <numerusform>%n link removed</numerusform>
            <numerusform>%n links removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n link(s) changed</source>
        <translation>
            <numerusform>%n link changed</numerusform>
            <numerusform>%n links changed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>polyrail::CanvasChrome</name>
    <message numerus="yes">
        <source> %n hidden</source>
        <comment>kinds of links</comment>
        <translation>
            <numerusform> %n hidden</numerusform>
            <numerusform> %n hidden</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>polyrail::ClusterEditor</name>
    <message numerus="yes">
        <source>Delete %n items</source>
        <translation>
            <numerusform>Delete %n item</numerusform>
            <numerusform>Delete %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Duplicate %n links</source>
        <translation>
            <numerusform>Duplicate %n link</numerusform>
            <numerusform>Duplicate %n links</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Duplicate %n items</source>
        <translation>
            <numerusform>Duplicate %n item</numerusform>
            <numerusform>Duplicate %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Paste %n items</source>
        <translation>
            <numerusform>Paste %n item</numerusform>
            <numerusform>Paste %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n items</source>
        <translation>
            <numerusform>Move %n item</numerusform>
            <numerusform>Move %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Make %n links exclusive</source>
        <translation>
            <numerusform>Make %n link exclusive</numerusform>
            <numerusform>Make %n links exclusive</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Share capacity of %n links</source>
        <translation>
            <numerusform>Share capacity of %n link</numerusform>
            <numerusform>Share capacity of %n links</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Remove %n conflicts</source>
        <translation>
            <numerusform>Remove %n conflict</numerusform>
            <numerusform>Remove %n conflicts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Bring %n links up</source>
        <translation>
            <numerusform>Bring %n link up</numerusform>
            <numerusform>Bring %n links up</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Take %n links down</source>
        <translation>
            <numerusform>Take %n link down</numerusform>
            <numerusform>Take %n links down</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>polyrail::DevicePanel</name>
    <message numerus="yes">
        <source>%n devices</source>
        <translation>
            <numerusform>%n device</numerusform>
            <numerusform>%n devices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>polyrail::Inspector</name>
    <message numerus="yes">
        <source>%n links</source>
        <translation>
            <numerusform>%n link</numerusform>
            <numerusform>%n links</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n devices</source>
        <translation>
            <numerusform>%n device</numerusform>
            <numerusform>%n devices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>polyrail::LinkPanel</name>
    <message numerus="yes">
        <source>%n links</source>
        <translation>
            <numerusform>%n link</numerusform>
            <numerusform>%n links</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>polyrail::MainWindow</name>
    <message numerus="yes">
        <source>%n selected</source>
        <translation>
            <numerusform>%n selected</numerusform>
            <numerusform>%n selected</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n GPU(s)</source>
        <translation>
            <numerusform>%n GPU</numerusform>
            <numerusform>%n GPUs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hub(s)</source>
        <translation>
            <numerusform>%n hub</numerusform>
            <numerusform>%n hubs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n link(s)</source>
        <translation>
            <numerusform>%n link</numerusform>
            <numerusform>%n links</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conflict group(s)</source>
        <translation>
            <numerusform>%n conflict group</numerusform>
            <numerusform>%n conflict groups</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>polyrail::PlacePanel</name>
    <message numerus="yes">
        <source>%n devices</source>
        <translation>
            <numerusform>%n device</numerusform>
            <numerusform>%n devices</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hubs</source>
        <translation>
            <numerusform>%n hub</numerusform>
            <numerusform>%n hubs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>polyrail::SearchStrip</name>
    <message numerus="yes">
        <source>%1, %n thread(s)</source>
        <translation>
            <numerusform>%1, %n thread</numerusform>
            <numerusform>%1, %n threads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation>
            <numerusform>%n thread</numerusform>
            <numerusform>%n threads</numerusform>
        </translation>
    </message>
</context>
</TS>
