// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"

#include <QWidget>

#include <functional>
#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QToolButton;

namespace polyrail {

class QuantityField;

/// Type and figures of one or several devices. A changed figure overrides the catalogue's until it is put back.
class DevicePanel : public QWidget
{
    Q_OBJECT
public:
    DevicePanel(Document &document, SelectionModel &selection, QWidget *parent = nullptr);

    void setDevices(const std::vector<DeviceId> &devices);

private:
    struct Figure
    {
        std::string key; ///< as the cluster file names it: "memory", "peak.bf16"
        std::function<QString(const GpuType &)> read; ///< empty where the chip has no such figure
        std::function<void(GpuType &, const std::string &)> write;
        std::function<void(GpuType &, const GpuType &)> copy; ///< from the catalogue's entry
        QuantityField *field = nullptr;
        QToolButton *back = nullptr;
    };
    void build();
    void addFigure(QGridLayout &grid, int row, const QString &label, Figure figure,
                   std::function<Result<void>(const std::string &)> parse);
    void changeAll(const QString &text, const std::function<void(Device &)> &change);
    void setType(const QString &name);
    QString nameOf() const;

    Document &m_document;
    SelectionModel &m_selection;
    std::vector<DeviceId> m_devices;
    std::vector<std::string> m_ids;
    QComboBox *m_type = nullptr;
    QLabel *m_source = nullptr;
    QuantityField *m_name = nullptr;
    std::vector<Figure> m_figures;
};

} // namespace polyrail
