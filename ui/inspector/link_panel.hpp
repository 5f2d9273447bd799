// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"

#include <QWidget>

#include <functional>
#include <map>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace polyrail {

class LogSlider;
class QuantityField;

/// Figures of one or several links. Links of unlike bandwidth are scaled together by the slider; typed values and
/// choices apply to all.
class LinkPanel : public QWidget
{
    Q_OBJECT
public:
    LinkPanel(Document &document, SelectionModel &selection, QWidget *parent = nullptr);

    void setLinks(const std::vector<LinkId> &links);

private:
    void build();
    void rebuildConflicts();
    void rememberBandwidths();
    std::vector<Link> current() const;
    void changeAll(const QString &text, const QString &mergeKey, const std::function<void(Link &)> &change);
    void setBandwidth(const QString &text);
    void slide(double value);
    void resetBandwidth();
    QString nameOf() const; ///< "rail 1", "3 links"

    Document &m_document;
    SelectionModel &m_selection;
    std::vector<LinkId> m_links;
    std::vector<std::string> m_ids;
    std::map<std::string, double> m_opened; ///< bandwidths when the document was opened, or first seen
    std::vector<double> m_slideFrom;        ///< bandwidths at the start of a drag that scales
    bool m_inBits = false;
    bool m_scales = false;                  ///< the slider is a factor
    bool m_filling = false;
    QString m_conflictsShown;               ///< what the rows of conflicts were made for

    QuantityField *m_bandwidth = nullptr;
    QLabel *m_otherUnit = nullptr;
    QToolButton *m_reset = nullptr;
    LogSlider *m_slider = nullptr;
    QuantityField *m_latency = nullptr;
    QComboBox *m_duplex = nullptr;
    QCheckBox *m_up = nullptr;
    QVBoxLayout *m_conflicts = nullptr;
    QuantityField *m_name = nullptr;
    QComboBox *m_kind = nullptr;
};

} // namespace polyrail
