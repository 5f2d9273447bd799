// SPDX-License-Identifier: GPL-3.0-or-later
// The inspector under real mouse, key and wheel events.
#include "sample_cluster.hpp"
#include "ui/document/cluster_edits.hpp"
#include "ui/inspector/inspector.hpp"
#include "ui/inspector/log_slider.hpp"
#include "ui/theme/theme.hpp"

#include "core/formats/builtin.hpp"
#include "core/formats/json_files.hpp"

#include <QAccessible>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <cmath>
#include <memory>

using namespace polyrail;
using test::fingerprint;

namespace {

struct Panel
{
    explicit Panel(QStringList selected = {}, Cluster cluster = test::twoBoxes())
    {
        document.reset(std::move(cluster), {}, {});
        inspector = std::make_unique<Inspector>(document, selection);
        inspector->resize(300, 560);
        inspector->show();
        selection.select(selected);
        QApplication::processEvents();
    }

    Link link(const char *id) const { return document.cluster().link(document.cluster().findLink(id)); }
    double gigabits(const char *id) const { return link(id).bandwidth.value * 8e-9; }
    Device device(const char *id) const { return document.cluster().device(document.cluster().findDevice(id)); }
    /// Of the panel that is shown: others keep fields of the same name.
    template<class T>
    T *find(const char *name) const
    {
        for (T *widget : inspector->findChildren<T *>(QLatin1String(name)))
            if (widget->isVisible())
                return widget;
        return nullptr;
    }
    QLineEdit *field(const char *name) const { return find<QLineEdit>(name); }
    LogSlider *slider() const { return find<LogSlider>("bandwidthSlider"); }
    void type(const char *name, const QString &text)
    {
        QLineEdit *edit = field(name);
        QVERIFY(edit);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }
    QString reason() const
    {
        QString text;
        for (QLabel *label : inspector->findChildren<QLabel *>())
            if (label->isVisible() && label->property("role") == QLatin1String("error"))
                text += label->text();
        return text;
    }
    void dragSlider(double from, double to)
    {
        LogSlider *s = slider();
        const int y = 29;
        QTest::mousePress(s, Qt::LeftButton, {}, QPoint(int(s->xOf(from)), y));
        for (int i = 1; i <= 6; ++i) {
            const QPointF at(s->xOf(from) + (s->xOf(to) - s->xOf(from)) * i / 6, y);
            QMouseEvent move(QEvent::MouseMove, at, s->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QCoreApplication::sendEvent(s, &move);
        }
        QTest::mouseRelease(s, Qt::LeftButton, {}, QPoint(int(s->xOf(to)), y));
    }

    Document document;
    SelectionModel selection;
    std::unique_ptr<Inspector> inspector;
};

constexpr double gbit = 1e9 / 8;

} // namespace

class TestInspector : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { Theme::apply(*qApp, Theme::light()); }

    void scaleIsLogarithmicAndItsOwnInverse()
    {
        const LogRange range = bandwidthRange(1.25e9, true);
        QCOMPARE(range.low, 0.1 * gbit);
        QCOMPARE(range.high, 1000 * gbit);
        QCOMPARE(fractionOf(0.1 * gbit, range), 0.0);
        QCOMPARE(fractionOf(10 * gbit, range), 0.5);
        QCOMPARE(fractionOf(1000 * gbit, range), 1.0);
        QCOMPARE(fractionOf(1, range), 0.0);
        QCOMPARE(fractionOf(1e18, range), 1.0);
        for (double f : {0.0, 0.1, 0.37, 0.5, 0.99, 1.0})
            QVERIFY(std::abs(fractionOf(valueAt(f, range), range) - f) < 1e-12);
        QVERIFY(valueAt(0.6, range) / valueAt(0.5, range) > 2.5);
        // Longer for what lies outside.
        QVERIFY(bandwidthRange(5e12, false).high >= 5e12);
        QVERIFY(bandwidthRange(1e3, false).low <= 1e3);
        QVERIFY(bandwidthRange(0, false).low > 0);
        QVERIFY(bandwidthRange(NAN, true).high > 0);
        const auto ticks = decades(range, true);
        QCOMPARE(ticks.size(), std::size_t(5));
        QCOMPARE(ticks[0].text, std::string("0.1"));
        QCOMPARE(ticks[2].text, std::string("10"));
        QCOMPARE(ticks[4].text, std::string("1 Tb/s"));
    }

    void roundingKeepsSignificantDigits()
    {
        QCOMPARE(roundedTo(0.123456, 3), 0.123);
        QCOMPARE(roundedTo(9876543, 3), 9880000.0);
        QCOMPARE(roundedTo(0, 3), 0.0);
    }

    void presetsSnapAndStep()
    {
        const auto list = presets(true);
        const LogRange range = bandwidthRange(1e9, true);
        const double ten = 10 * gbit;
        QCOMPARE(snappedValue(fractionOf(ten, range) + 0.004, range, list, 0.01), ten);
        QVERIFY(snappedValue(fractionOf(ten, range) + 0.02, range, list, 0.01) != ten);
        QVERIFY(snappedValue(fractionOf(ten, range) + 0.004, range, list, -1) != ten); // Alt
        QCOMPARE(nextPreset(4 * gbit, list, true), ten);
        QCOMPARE(nextPreset(ten, list, true), 25 * gbit);
        QCOMPARE(nextPreset(ten, list, false), 1 * gbit);
        QCOMPARE(nextPreset(0.5 * gbit, list, false), 0.5 * gbit); // none below
        double last = 0;
        for (const Preset &p : presets(false)) {
            QVERIFY(p.bytesPerSecond > last);
            last = p.bytesPerSecond;
        }
    }

    void nothingSelectedSaysWhatToDo()
    {
        Panel p;
        QVERIFY(p.find<QLabel>("emptySentence"));
        QVERIFY(!p.slider());
        p.selection.select({QStringLiteral("rail 1")});
        QVERIFY(!p.find<QLabel>("emptySentence"));
        QVERIFY(p.slider());
        p.selection.clear();
        QVERIFY(p.find<QLabel>("emptySentence"));
    }

    void showsFiguresInTheUnitTheyWereEnteredIn()
    {
        Panel p({QStringLiteral("rail 1")});
        QCOMPARE(p.field("bandwidthField")->text(), QStringLiteral("4 Gb/s"));
        QCOMPARE(p.field("latencyField")->text(), QStringLiteral("12 µs"));
        QCOMPARE(p.field("nameField")->text(), QStringLiteral("rail 1"));
        p.selection.select({QStringLiteral("pcie a0")});
        QCOMPARE(p.field("bandwidthField")->text(), QStringLiteral("32 GB/s"));
    }

    void typedFiguresKeepTheirUnit()
    {
        Panel p({QStringLiteral("rail 1")});
        p.type("bandwidthField", QStringLiteral("25 GB/s"));
        QCOMPARE(p.link("rail 1").bandwidth.value, 25e9);
        QVERIFY(!p.link("rail 1").enteredInBits);
        QCOMPARE(p.field("bandwidthField")->text(), QStringLiteral("25 GB/s"));
        p.type("bandwidthField", QStringLiteral("100Gbps"));
        QVERIFY(p.link("rail 1").enteredInBits);
        QCOMPARE(p.gigabits("rail 1"), 100.0);
        QCOMPARE(p.document.undoStack().count(), 2);
        QCOMPARE(p.document.undoStack().undoText(), QStringLiteral("rail 1 to 100 Gb/s"));
        p.document.undoStack().undo();
        p.document.undoStack().undo();
        QCOMPARE(fingerprint(p.document.cluster()), fingerprint(test::twoBoxes()));
        QCOMPARE(p.field("bandwidthField")->text(), QStringLiteral("4 Gb/s"));
    }

    void refusesWithTheReason_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        QTest::newRow("no unit") << QStringLiteral("200") << QStringLiteral("200");
        QTest::newRow("unknown unit") << QStringLiteral("10 Gx/s") << QStringLiteral("10 Gx/s");
        QTest::newRow("zero") << QStringLiteral("0 Gb/s") << QStringLiteral("0 Gb/s");
        QTest::newRow("negative") << QStringLiteral("-3 Gb/s") << QStringLiteral("-3 Gb/s");
        QTest::newRow("words") << QStringLiteral("fast") << QStringLiteral("fast");
    }

    void refusesWithTheReason()
    {
        QFETCH(QString, text);
        QFETCH(QString, said);
        Panel p({QStringLiteral("rail 1")});
        p.type("bandwidthField", text);
        QCOMPARE(p.document.undoStack().count(), 0);
        QCOMPARE(p.gigabits("rail 1"), 4.0);
        QVERIFY2(p.reason().contains(said), qPrintable(p.reason()));
        QVERIFY2(p.reason().contains(QLatin1String("b/s")), qPrintable(p.reason())); // says what is accepted
        QCOMPARE(p.field("bandwidthField")->text(), text);                            // stays, to be corrected
        QVERIFY(p.field("bandwidthField")->property("invalid").toBool());
        QTest::keyClick(p.field("bandwidthField"), Qt::Key_Escape); // or taken back
        QCOMPARE(p.field("bandwidthField")->text(), QStringLiteral("4 Gb/s"));
        QVERIFY(p.reason().isEmpty());
        p.type("bandwidthField", text);
        p.type("bandwidthField", QStringLiteral("8 Gb/s"));
        QVERIFY(p.reason().isEmpty());
        QCOMPARE(p.gigabits("rail 1"), 8.0);
    }

    void aDragIsOneStep()
    {
        Panel p({QStringLiteral("rail 1")});
        QSignalSpy changed(&p.document, &Document::clusterChanged);
        p.dragSlider(4 * gbit, 100 * gbit);
        QVERIFY(changed.size() >= 4); // followed while it moved
        QCOMPARE(p.document.undoStack().count(), 1);
        QCOMPARE(p.gigabits("rail 1"), 100.0); // snapped to the preset
        QCOMPARE(p.field("bandwidthField")->text(), QStringLiteral("100 Gb/s"));
        p.dragSlider(100 * gbit, 2 * gbit);
        QCOMPARE(p.document.undoStack().count(), 2); // the next drag is the next step
        p.document.undoStack().undo();
        QCOMPARE(p.gigabits("rail 1"), 100.0);
        p.document.undoStack().undo();
        QCOMPARE(fingerprint(p.document.cluster()), fingerprint(test::twoBoxes()));
        QCOMPARE(p.slider()->value(), 4 * gbit);
    }

    void aPressBesideTheHandleJumpsThere()
    {
        Panel p({QStringLiteral("rail 1")});
        QTest::mouseClick(p.slider(), Qt::LeftButton, {}, QPoint(int(std::lround(p.slider()->xOf(25 * gbit))), 29));
        QCOMPARE(p.gigabits("rail 1"), 25.0);
        // A press on the handle alone changes nothing.
        QTest::mouseClick(p.slider(), Qt::LeftButton, {}, QPoint(int(p.slider()->xOf(25 * gbit)) + 3, 29));
        QCOMPARE(p.gigabits("rail 1"), 25.0);
        QCOMPARE(p.document.undoStack().count(), 1);
    }

    void sliderKeys()
    {
        Panel p({QStringLiteral("rail 1")});
        LogSlider *slider = p.slider();
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Right);
        QVERIFY(std::abs(p.gigabits("rail 1") - 4.04) < 1e-9); // 1 %
        QTest::keyClick(slider, Qt::Key_PageUp);
        QCOMPARE(p.gigabits("rail 1"), 10.0);
        QTest::keyClick(slider, Qt::Key_PageUp);
        QCOMPARE(p.gigabits("rail 1"), 25.0);
        QTest::keyClick(slider, Qt::Key_PageDown);
        QCOMPARE(p.gigabits("rail 1"), 10.0);
        QTest::keyClick(slider, Qt::Key_Left, Qt::ShiftModifier);
        QVERIFY(std::abs(p.gigabits("rail 1") - 9.091) < 1e-9);
        QTest::keyClick(slider, Qt::Key_End);
        QCOMPARE(p.gigabits("rail 1"), 1000.0);
        QTest::keyClick(slider, Qt::Key_Home);
        QCOMPARE(p.gigabits("rail 1"), 0.1);
        QCOMPARE(p.document.undoStack().count(), 7);
        // A held key is one step.
        QTest::keyPress(slider, Qt::Key_Right);
        QTest::keyPress(slider, Qt::Key_Right);
        QTest::keyPress(slider, Qt::Key_Right);
        QTest::keyRelease(slider, Qt::Key_Right);
        QCOMPARE(p.document.undoStack().count(), 8);
    }

    void theWheelWorksOnlyWithTheFocus()
    {
        Panel p({QStringLiteral("rail 1")});
        LogSlider *slider = p.slider();
        p.field("nameField")->setFocus();
        const QPointF at(100, 29);
        const auto wheel = [&] {
            QWheelEvent event(at, slider->mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, {}, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(slider, &event);
        };
        wheel();
        QCOMPARE(p.gigabits("rail 1"), 4.0);
        slider->setFocus();
        wheel();
        QVERIFY(std::abs(p.gigabits("rail 1") - 4.2) < 1e-9);
    }

    void resetGoesBackToTheValueOfTheFile()
    {
        Panel p({QStringLiteral("rail 1")});
        auto *reset = p.find<QToolButton>("resetBandwidth");
        QVERIFY(!reset->isEnabled());
        p.dragSlider(4 * gbit, 100 * gbit);
        p.selection.select({QStringLiteral("rail 0")});
        p.selection.select({QStringLiteral("rail 1")}); // remembered across selections
        QVERIFY(reset->isEnabled());
        QTest::mouseClick(reset, Qt::LeftButton);
        QCOMPARE(p.gigabits("rail 1"), 4.0);
        QVERIFY(!reset->isEnabled());
        QCOMPARE(p.document.undoStack().count(), 2);
        // Another file has other values to go back to.
        ClusterParts parts = test::twoBoxes().parts();
        for (Link &link : parts.links)
            if (link.id == "rail 1")
                link.bandwidth = BytesPerSecond(7 * gbit);
        p.document.reset(*Cluster::make(parts), {}, {});
        QVERIFY(!p.find<QToolButton>("resetBandwidth")->isEnabled());
    }

    void unlikeLinksAreScaledTogether()
    {
        Panel p({QStringLiteral("rail 0"), QStringLiteral("rail 1"), QStringLiteral("mgmt")});
        QVERIFY(p.field("bandwidthField")->text().isEmpty());
        QCOMPARE(p.field("bandwidthField")->placeholderText(), QStringLiteral("mixed"));
        p.dragSlider(1, 2);
        const double factor = p.gigabits("rail 0") / 10;
        QVERIFY(factor > 1.9 && factor < 2.1);
        QVERIFY(std::abs(p.gigabits("rail 1") / 4 - factor) < 0.01);
        QVERIFY(std::abs(p.gigabits("mgmt") / 1 - factor) < 0.01);
        QCOMPARE(p.document.undoStack().count(), 1);
        QCOMPARE(p.slider()->value(), 1.0); // ready for the next
        p.document.undoStack().undo();
        QCOMPARE(fingerprint(p.document.cluster()), fingerprint(test::twoBoxes()));
        // A typed figure applies to all; then they are alike.
        p.type("bandwidthField", QStringLiteral("40 Gb/s"));
        for (const char *id : {"rail 0", "rail 1", "mgmt"})
            QCOMPARE(p.gigabits(id), 40.0);
        QCOMPARE(p.field("bandwidthField")->text(), QStringLiteral("40 Gb/s"));
        p.dragSlider(40 * gbit, 10 * gbit);
        for (const char *id : {"rail 0", "rail 1", "mgmt"})
            QCOMPARE(p.gigabits(id), 10.0);
        QCOMPARE(p.document.undoStack().count(), 2);
    }

    void latencyDuplexStateKind()
    {
        Panel p({QStringLiteral("rail 1")});
        p.type("latencyField", QStringLiteral("30 us"));
        QCOMPARE(p.link("rail 1").latency.value, 30e-6);
        p.type("latencyField", QStringLiteral("30"));
        QVERIFY(!p.reason().isEmpty());
        QCOMPARE(p.link("rail 1").latency.value, 30e-6);
        QTest::keyClick(p.field("latencyField"), Qt::Key_Escape);
        auto *duplex = p.find<QComboBox>("duplex");
        duplex->setFocus();
        QTest::keyClick(duplex, Qt::Key_Down);
        QCOMPARE(p.link("rail 1").duplex, Duplex::Half);
        auto *up = p.find<QCheckBox>("linkUp");
        up->setFocus();
        QTest::keyClick(up, Qt::Key_Space);
        QCOMPARE(p.link("rail 1").state, LinkState::Down);
        QCOMPARE(p.document.undoStack().undoText(), QStringLiteral("Take rail 1 down"));
        auto *kind = p.find<QComboBox>("linkKind");
        kind->setFocus();
        QTest::keyClick(kind, Qt::Key_Down);
        QCOMPARE(p.link("rail 1").kind, LinkKind::HostBus);
        for (int i = 0; i < 4; ++i)
            p.document.undoStack().undo();
        QCOMPARE(fingerprint(p.document.cluster()), fingerprint(test::twoBoxes()));
        QVERIFY(up->isChecked());
    }

    void renaming()
    {
        Panel p({QStringLiteral("rail 1")});
        p.type("nameField", QStringLiteral("rail 0"));
        QVERIFY(p.reason().contains(QLatin1String("taken")));
        p.type("nameField", QStringLiteral("backbone"));
        QVERIFY(p.document.cluster().findLink("backbone").valid());
        QCOMPARE(p.selection.ids(), QStringList{QStringLiteral("backbone")});
        // The conflict follows its link.
        const Cluster &now = p.document.cluster();
        QCOMPARE(now.link(now.conflicts()[0].links[0]).id, std::string("backbone"));
    }

    void conflictsAreShownAndCanBeChanged()
    {
        Panel p({QStringLiteral("rail 1")});
        const auto chips = [&] {
            QStringList texts;
            for (QPushButton *b : p.inspector->findChildren<QPushButton *>())
                if (b->isVisible() && b->property("chip").isValid())
                    texts.append(b->text());
            return texts;
        };
        QCOMPARE(chips(), QStringList{QStringLiteral("exclusive with mgmt")});
        p.selection.select({QStringLiteral("rail 0")});
        QApplication::processEvents();
        QVERIFY(chips().isEmpty());
        p.selection.select({QStringLiteral("uplink a0")});
        QApplication::processEvents();
        QCOMPARE(chips().size(), 1);
        QLineEdit *capacity = nullptr;
        for (QLineEdit *edit : p.inspector->findChildren<QLineEdit *>())
            if (edit->isVisible() && edit->accessibleName() == QLatin1String("Capacity of root a"))
                capacity = edit;
        QVERIFY(capacity);
        QCOMPARE(capacity->text(), QStringLiteral("40 GB/s"));
        capacity->setFocus();
        capacity->selectAll();
        QTest::keyClicks(capacity, QStringLiteral("24 GB/s"));
        QTest::keyClick(capacity, Qt::Key_Return);
        QCOMPARE(p.document.cluster().conflicts()[1].capacity.value, 24e9);
    }

    void nextInBundleGoesRound()
    {
        Panel p({QStringLiteral("rail 0")});
        auto *next = p.find<QToolButton>("nextInBundle");
        QVERIFY(next);
        QStringList seen;
        for (int i = 0; i < 3; ++i) {
            QTest::mouseClick(next, Qt::LeftButton);
            seen.append(p.selection.current());
        }
        QCOMPARE(seen, QStringList({QStringLiteral("rail 1"), QStringLiteral("mgmt"), QStringLiteral("rail 0")}));
        p.selection.select({QStringLiteral("bus a")});
        QVERIFY(!p.find<QToolButton>("nextInBundle"));
    }

    void figuresOfADeviceOverrideTheCatalogueAndComeBack()
    {
        ClusterParts parts;
        Device d;
        d.id = "gpu";
        d.type = *builtinCatalogue().find("A100-80GB-SXM");
        d.typeName = d.type.name;
        parts.devices.push_back(d);
        Panel p({QStringLiteral("gpu")}, *Cluster::make(parts));
        const Bytes catalogue = p.device("gpu").type.memory;
        QVERIFY(!p.find<QToolButton>("back.memory"));
        p.type("memory", QStringLiteral("40 GiB"));
        QCOMPARE(p.device("gpu").type.memory, gib(40));
        QCOMPARE(p.device("gpu").overridden, std::vector<std::string>{"memory"});
        auto *back = p.find<QToolButton>("back.memory");
        QVERIFY(back);
        // The file keeps the override, and only that.
        const auto read = readCluster(writeCluster(p.document.cluster()), builtinCatalogue());
        QVERIFY(read);
        QCOMPARE(read->devices()[0].type.memory, gib(40));
        QCOMPARE(read->devices()[0].overridden, std::vector<std::string>{"memory"});
        QTest::mouseClick(back, Qt::LeftButton);
        QCOMPARE(p.device("gpu").type.memory, catalogue);
        QVERIFY(p.device("gpu").overridden.empty());
        p.type("memory", QStringLiteral("40"));
        QVERIFY(!p.reason().isEmpty());
        QCOMPARE(p.device("gpu").type.memory, catalogue);
        p.type("peak.bf16", QStringLiteral("250 TFLOP/s"));
        QCOMPARE(p.device("gpu").type.peak[std::size_t(Precision::Bf16)]->value, 250e12);
        p.type("multiprocessors", QStringLiteral("many"));
        QVERIFY(p.reason().contains(QLatin1String("whole number")));
    }

    void typeOfSeveralDevices()
    {
        Panel p({QStringLiteral("4090D 0"), QStringLiteral("V100 0")});
        auto *type = p.find<QComboBox>("deviceType");
        QCOMPARE(type->currentIndex(), -1); // mixed
        QCOMPARE(p.field("memory")->placeholderText(), QStringLiteral("mixed"));
        const int index = type->findText(QStringLiteral("A100-80GB-SXM"));
        QVERIFY(index >= 0);
        type->setCurrentIndex(index);
        emit type->activated(index);
        for (const char *id : {"4090D 0", "V100 0"}) {
            QCOMPARE(p.device(id).typeName, std::string("A100-80GB-SXM"));
            QCOMPARE(p.device(id).type.memory, builtinCatalogue().find("A100-80GB-SXM")->memory);
        }
        QCOMPARE(p.device("4090D 1").typeName, std::string("RTX-4090D"));
        QCOMPARE(p.document.undoStack().count(), 1);
    }

    void hubsAndHosts()
    {
        Panel p({QStringLiteral("switch a0")});
        auto *kind = p.find<QComboBox>("hubKind");
        QVERIFY(kind);
        kind->setFocus();
        QTest::keyClick(kind, Qt::Key_Down);
        QCOMPARE(p.document.cluster().hubs()[0].kind, HubKind::NvSwitch);
        p.type("nameField", QStringLiteral("nvs"));
        QCOMPARE(p.selection.current(), QStringLiteral("nvs"));
        QVERIFY(p.document.cluster().parts().layout.count("nvs")); // it stays where it stands
        p.selection.select({QString::fromStdString(hostKey("node-a"))});
        QVERIFY(!p.find<QComboBox>("hubKind"));
        p.type("nameField", QStringLiteral("Rack 7"));
        QCOMPARE(p.document.cluster().hosts()[0].name, std::string("Rack 7"));
        QCOMPARE(p.document.cluster().hosts()[0].id, std::string("node-a"));
    }

    void whatIsBeingTypedSurvivesOtherChanges()
    {
        Panel p({QStringLiteral("rail 1")});
        QLineEdit *edit = p.field("bandwidthField");
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("12"));
        const LinkId other = p.document.cluster().findLink("rail 0");
        Link link = p.document.cluster().link(other);
        link.bandwidth = BytesPerSecond(3e9);
        p.document.setLink(other, link, QStringLiteral("x"));
        QCOMPARE(edit->text(), QStringLiteral("12"));
        p.selection.select({QStringLiteral("rail 0")}); // another link: the field is that link's
        QCOMPARE(edit->text(), QStringLiteral("24 Gb/s"));
    }

    void screenReadersGetTheSliderAsANumber()
    {
        Panel p({QStringLiteral("rail 1")});
        QAccessibleInterface *slider = QAccessible::queryAccessibleInterface(p.slider());
        QVERIFY(slider);
        QCOMPARE(slider->role(), QAccessible::Slider);
        QVERIFY(!slider->text(QAccessible::Name).isEmpty());
        QCOMPARE(slider->text(QAccessible::Value), QStringLiteral("4 Gb/s"));
        QAccessibleValueInterface *value = slider->valueInterface();
        QVERIFY(value);
        QCOMPARE(value->currentValue().toDouble(), 4 * gbit);
        value->setCurrentValue(8 * gbit);
        QCOMPARE(p.gigabits("rail 1"), 8.0);
        for (QWidget *widget : p.inspector->findChildren<QWidget *>()) {
            const bool input = qobject_cast<QLineEdit *>(widget) || qobject_cast<QComboBox *>(widget)
                || qobject_cast<QToolButton *>(widget) || qobject_cast<LogSlider *>(widget);
            if (input && widget->isVisible() && !qobject_cast<QComboBox *>(widget->parentWidget()))
                QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
        }
    }
};

QTEST_MAIN(TestInspector)
#include "tst_inspector.moc"
