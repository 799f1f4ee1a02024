#include "package.h"

#include <algorithm>
#include <exception>
#include <filesystem>

#include "doc_field.h"
#include "doc_value.h"
#include "read_file.h"
#include "text.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

using Kind = DocValue::Kind;

constexpr DocKey<Bind> kBindKeys[] = {
    {"host", [](const DocField& f, Bind& b) { return assign(read_line(f), b.host); }},
    {"host_path", [](const DocField& f, Bind& b) { return assign(read_line(f), b.host); }},
    {"container",
     [](const DocField& f, Bind& b) { return assign(read_absolute_path(f), b.container); }},
    {"container_path",
     [](const DocField& f, Bind& b) { return assign(read_absolute_path(f), b.container); }},
    {"optional", [](const DocField& f, Bind& b) { return assign(read_bool(f), b.optional); }},
};

Result<Bind> read_bind_text(const DocField& field) {
  COMPUTE_SCALE_TRY(text, read_line(field));
  const std::size_t colon = text.find(':');
  const bool one_colon =
      colon != std::string::npos && text.find(':', colon + 1) == std::string::npos;
  if (!one_colon || colon == 0 || text.compare(colon + 1, 1, "/") != 0) {
    return field.expected("\"host path:/container path\"");
  }
  return Bind{text.substr(0, colon), text.substr(colon + 1), false};
}

Result<Bind> read_bind(const DocField& field) {
  if (field.value().kind == Kind::kText) return read_bind_text(field);
  COMPUTE_SCALE_CHECK(expect_map(field, "an object with \"host\" and \"container\""));
  Bind bind;
  COMPUTE_SCALE_CHECK(read_open_map(field, kBindKeys, bind));
  if (bind.host.empty()) return field.problem("the key \"host\" is missing");
  if (bind.container.empty()) return field.problem("the key \"container\" is missing");
  return bind;
}

Result<std::vector<Bind>> read_binds(const DocField& field) {
  COMPUTE_SCALE_CHECK(expect_list(field, "a list of binds"));
  std::vector<Bind> binds;
  for (std::size_t i = 0; i < field.size(); ++i) {
    COMPUTE_SCALE_TRY(bind, read_bind(field.item(i)));
    binds.push_back(std::move(bind));
  }
  return binds;
}

struct Draft {
  Package package;
  std::vector<Bind> data_bind, data_deps;
};

template <bool Package::*kField>
Status package_bool(const DocField& field, Draft& draft) {
  return assign(read_bool(field), draft.package.*kField);
}

template <std::string Package::*kField>
Status package_line(const DocField& field, Draft& draft) {
  return assign(read_line_or_empty(field), draft.package.*kField);
}

constexpr DocKey<Draft> kPackageKeys[] = {
    {"base_image", package_line<&Package::base_image>},
    {"image", package_line<&Package::image>},
    {"env", [](const DocField& f, Draft& d) { return assign(read_env(f), d.package.env); }},
    {"use_cuda", package_bool<&Package::use_cuda>},
    {"workdir",
     [](const DocField& f, Draft& d) { return assign(read_absolute_path(f), d.package.workdir); }},
    {"data_bind", [](const DocField& f, Draft& d) { return assign(read_binds(f), d.data_bind); }},
    {"data_deps", [](const DocField& f, Draft& d) { return assign(read_binds(f), d.data_deps); }},
    {"apptainer_flags",
     [](const DocField& f, Draft& d) { return assign(read_lines(f), d.package.apptainer_flags); }},
    {"fakeroot", package_bool<&Package::fakeroot>},
    {"writable_tmpfs", package_bool<&Package::writable_tmpfs>},
    {"no_home", package_bool<&Package::no_home>},
};

}  // namespace

Result<Package> parse_package(std::string_view text, const std::string& name,
                              const std::string& file) {
  COMPUTE_SCALE_TRY(document, parse_json(text, file));
  const DocField top(document, DocFormat::kJson, file);
  COMPUTE_SCALE_CHECK(expect_map(top, "an object"));
  Draft draft;
  COMPUTE_SCALE_CHECK(read_open_map(top, kPackageKeys, draft));
  Package package = std::move(draft.package);
  package.name = name;
  package.data_binds = std::move(draft.data_bind);
  for (Bind& bind : draft.data_deps) package.data_binds.push_back(std::move(bind));
  return package;
}

namespace {

// The names of the packages in the folder, as far as it can be read; for a message only.
std::vector<std::string> list_packages(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const fs::path& path = at->path();
    const bool is_file = path.extension() == ".json";
    names.push_back((is_file ? path.stem() : path.filename()).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Package> load(const fs::path& folder, const std::string& name) {
  for (const fs::path& file : {folder / (name + ".json"), folder / name / "config.json"}) {
    std::error_code error;
    if (!fs::exists(file, error) && !error) continue;
    const Result<std::string> text = read_text_file(file.string());
    if (!text.ok()) return task_error(text.error().text);
    return parse_package(*text, name, file.string());
  }
  return usage_error("no package " + quoted(name) + " in " + printable(folder.string(), 4096) +
                     " (neither NAME.json nor NAME/config.json)" +
                     did_you_mean(name, list_packages(folder)));
}

}  // namespace

Result<Package> load_package(const std::string& packages_dir, const std::string& name) {
  if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos || has_control(name)) {
    return usage_error(quoted(name) +
                       ": not a package name: expected a name without '/' and without a '.' at "
                       "its start");
  }
  try {
    return load(packages_dir, name);
  } catch (const std::exception& failure) {
    return usage_error(printable(packages_dir, 4096) + ": " + printable(failure.what()));
  }
}

}  // namespace compute_scale
