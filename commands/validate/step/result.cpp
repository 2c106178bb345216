#include "commands/validate/step/result.hpp"

#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace gauntlet {
namespace {

Json errors_json(const ErrorSummary& of, bool telling = true) {
  Json json;
  json["rows"] = of.rows;
  const auto figure = [&](double value) { return of.rows > 0 && telling ? Json(value) : Json(nullptr); };
  json["mean"] = figure(of.mean);
  json["median"] = figure(of.median);
  json["max"] = figure(of.max);
  return json;
}

Json row_json(const ValidatedRow& row) {
  Json json;
  json["id"] = row.id;
  json["address"] = row.address;
  json["stack"] = row.stack;
  json["fitted"] = row.use == ErrorOf::fit;
  json["error_of"] = kErrorOfNames[static_cast<std::size_t>(row.use)];
  json["unit"] = row.unit;
  json["published"] = row.published;
  json["ours"] = json_of(row.ours);
  json["error"] = json_of(row.error);
  json["micro_batch"] = row.micro_batch;
  json["virtual_stages"] = row.virtual_stages;
  if (!row.why.empty()) json["why"] = row.why;
  if (!row.caution.empty()) json["caution"] = row.caution;
  return json;
}

Json fit_json(const FittedStack& fit) {
  Json json;
  json["stack"] = fit.stack;
  json["power"] = fit.power;
  json["shipped_error"] = fit.shipped_error;
  json["found_error"] = fit.found_error;
  for (const FittedStack::Constant& constant : fit.constants) {
    Json& each = json["constants"][constant.name];
    each["shipped"] = constant.shipped;
    each["found"] = constant.found;
  }
  return json;
}

}  // namespace

bool StepValidation::holds() const {
  const auto good = [&](const ValidationCheck& check) {
    return check.value ? !check.broken() : !file.empty();
  };
  return std::ranges::all_of(checks, good);
}

std::vector<const ValidatedRow*> far_off(const StepValidation& result) {
  std::vector<const ValidatedRow*> out;
  for (const ValidatedRow& row : result.rows)
    if (row.use != ErrorOf::fit && row.error && std::abs(*row.error) > kFarOff) out.push_back(&row);
  std::ranges::stable_sort(out, std::ranges::greater{},
                           [](const ValidatedRow* row) { return std::abs(*row->error); });
  return out;
}

ErrorSummary summary_of(std::vector<double> errors) {
  ErrorSummary out{.rows = static_cast<std::uint32_t>(errors.size())};
  if (errors.empty()) return out;
  for (double& error : errors) error = std::abs(error);
  std::ranges::sort(errors);
  for (const double error : errors) out.mean += error;
  out.mean /= static_cast<double>(errors.size());
  out.median = (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
  out.max = errors.back();
  return out;
}

std::string to_json(const StepValidation& result) {
  Json json;
  json["command"] = "validate step";
  json["version"] = result.version;
  json["holds"] = result.holds();
  json["checks"] = Json::array();
  for (const ValidationCheck& check : result.checks) {
    Json each;
    each["kind"] = kCheckKindNames[static_cast<std::size_t>(check.kind)];
    each["what"] = check.what;
    each["figure"] = check.figure;
    each["value"] = json_of(check.value);
    each["limit"] = check.limit;
    each["rows"] = check.rows;
    each["holds"] = check.value ? Json(!check.broken()) : Json(nullptr);
    each["other"] = nullptr;
    if (const auto& other = check.other)
      each["other"] = {
          {"program", other->name}, {"error", other->error}, {"source", other->source}, {"how", other->how}};
    json["checks"].push_back(std::move(each));
  }
  json["stacks"] = Json::array();
  for (const ValidatedStack& stack : result.stacks) {
    Json each;
    each["stack"] = stack.stack;
    each["source"] = stack.source;
    each["constants"] = stack.constants;
    each["exact_by_construction"] = stack.exact();
    each["fitted"] = errors_json(stack.fitted, !stack.exact());
    each["predicted"] = errors_json(stack.predicted);
    each["left_out"] = errors_json(stack.left_out);
    json["stacks"].push_back(std::move(each));
  }
  for (const FittedStack& fit : result.fits) json["fits"].push_back(fit_json(fit));
  json["rows"] = Json::array();
  for (const ValidatedRow& row : result.rows) json["rows"].push_back(row_json(row));
  return document(json);
}

}  // namespace gauntlet
