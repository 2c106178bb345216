// The replicas of a study as columns.
#include "python/bindings.hpp"
#include "study/store/store.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>

namespace gauntlet {
namespace {

namespace py = pybind11;

/// An array without a copy of `values`.
template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  auto* const owned = new std::vector<T>(std::move(values));
  const py::capsule owner(owned, [](void* data) { delete static_cast<std::vector<T>*>(data); });
  return py::array_t<T>(static_cast<py::ssize_t>(owned->size()), owned->data(), owner);
}

/// A column while rows are read.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(Column column) : column_(std::move(column)) {}

  void add(const Cell& cell) {
    const bool missing = std::holds_alternative<std::monostate>(cell);
    missing_.push_back(missing);
    any_missing_ = any_missing_ || missing;
    if (column_.type == "INTEGER") {
      const auto* whole = std::get_if<std::int64_t>(&cell);
      wholes_.push_back(whole != nullptr ? *whole : 0);
    } else if (column_.type == "REAL") {
      const auto* whole = std::get_if<std::int64_t>(&cell);
      const auto* real = std::get_if<double>(&cell);
      reals_.push_back(real != nullptr    ? *real
                       : whole != nullptr ? static_cast<double>(*whole)
                                          : std::numeric_limits<double>::quiet_NaN());
    } else {
      texts_.append(text_of(cell));
    }
  }
  /// (name, values, mask of those that are missing or None)
  py::tuple take() {
    py::object values = std::move(texts_);
    py::object mask = py::none();
    if (column_.type == "INTEGER") {
      values = array_of(std::move(wholes_));
      if (any_missing_) mask = array_of(std::move(missing_)).attr("astype")("bool");
    } else if (column_.type == "REAL") {
      values = array_of(std::move(reals_));
    }
    return py::make_tuple(column_.name, values, mask);
  }

 private:
  static py::object text_of(const Cell& cell) {
    if (const auto* text = std::get_if<std::string_view>(&cell)) return py::str(text->data(), text->size());
    if (const auto* hex = std::get_if<Hex>(&cell)) return py::str(fmt::format("{:016x}", hex->value));
    return py::none();
  }

  Column column_;
  std::vector<std::int64_t> wholes_;
  std::vector<double> reals_;
  py::list texts_;
  std::vector<std::uint8_t> missing_;
  bool any_missing_ = false;
};

class Table {
 public:
  explicit Table(const std::vector<Column>& columns) {
    for (const Column& column : columns) builders_.emplace_back(column);
  }
  void add(const Row& row) {
    for (std::size_t i = 0; i < builders_.size(); ++i) builders_[i].add(row.at(i));
  }
  py::list take() {
    py::list out;
    for (ColumnBuilder& builder : builders_) out.append(builder.take());
    return out;
  }

 private:
  std::vector<ColumnBuilder> builders_;
};

void check_point(const Store& store, std::uint32_t point) {
  if (point >= store.points())
    throw py::index_error(
        fmt::format("there is no point {}; the points are 0 to {}", point, store.points() - 1));
}

py::list replicas(const Store& store, std::uint32_t point) {
  check_point(store, point);
  Table table(replica_columns(store.faults()));
  store.read_rows(point, store.first_replica(point), store.replicas(point),
                  [&](const Row& row) { table.add(row); });
  return table.take();
}

py::list incidents(const Store& store, std::uint32_t point) {
  check_point(store, point);
  Table table(incident_columns());
  store.read_incident_rows(point, [&](const Row& row) { table.add(row); });
  return table.take();
}

/// A metric of each replica; NaN where the replica does not define it.
py::array_t<double> values(const Store& store, std::uint32_t point, const std::string& metric) {
  check_point(store, point);
  const std::vector<Metric> metrics = metrics_of(store.point(point).facts);
  const auto named = std::ranges::find(metrics, metric, &Metric::name);
  if (named == metrics.end())
    throw py::key_error(
        fmt::format("there is no metric \"{}\"; gauntlet.listing(\"metrics\") has the names", metric));
  std::vector<double> out;
  out.reserve(store.replicas(point));
  store.read(point, store.first_replica(point), store.replicas(point),
             [&](std::uint32_t, const Figures& figures) {
               out.push_back(named->of(figures).value().value_or(std::numeric_limits<double>::quiet_NaN()));
             });
  return array_of(std::move(out));
}

py::list points(const Store& store) {
  py::list out;
  for (std::uint32_t point = 0; point < store.points(); ++point) {
    const StoredPoint& stored = store.point(point);
    py::dict settings;
    for (const auto& [path, value] : stored.settings) settings[py::str(path)] = value;
    py::dict entry;
    entry["label"] = stored.label;
    entry["settings"] = settings;
    entry["scenario"] = stored.facts.name;
    entry["text"] = stored.text;
    entry["replicas"] = store.replicas(point);
    out.append(entry);
  }
  return out;
}

std::unique_ptr<Store> open(const std::string& file) {
  Store::Opened opened = Store::open_to_read(file);
  if (opened.problem) throw std::runtime_error(opened.problem->text());
  return std::move(opened.store);
}

}  // namespace

void bind_stores(py::module_& module) {
  py::class_<Store>(module, "Store")
      .def("points", points)
      .def("replicas", replicas)
      .def("incidents", incidents)
      .def("values", values);
  module.def("open_store", open);
}

}  // namespace gauntlet
