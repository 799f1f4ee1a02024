#include "package_env.h"

#include <algorithm>
#include <optional>

#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t i = text.find(what); i != std::string::npos;
       i = text.find(what, i + by.size())) {
    text.replace(i, what.size(), by);
  }
}

bool is_name_char(char c, bool first) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (!first && c >= '0' && c <= '9');
}

// The first ${NAME} of `text` from `from` on, as its position and length.
struct Reference {
  std::size_t begin;
  std::size_t size;
};

std::optional<Reference> find_reference(std::string_view text, std::size_t from) {
  for (std::size_t i = text.find("${", from); i != std::string_view::npos;
       i = text.find("${", i + 2)) {
    std::size_t end = i + 2;
    while (end < text.size() && is_name_char(text[end], end == i + 2)) ++end;
    if (end > i + 2 && end < text.size() && text[end] == '}') return Reference{i, end + 1 - i};
  }
  return std::nullopt;
}

// `path` below the bind's container path, as the host path; nothing if it is elsewhere.
std::optional<std::string> below(std::string_view path, const Bind& bind) {
  if (!starts_with(path, bind.container)) return std::nullopt;
  const std::string_view rest = path.substr(bind.container.size());
  if (!rest.empty() && rest.front() != '/') return std::nullopt;
  return bind.host + std::string(rest);
}

std::string to_host_path(std::string_view path, const std::vector<Bind>& binds) {
  const Bind* best = nullptr;
  for (const Bind& bind : binds) {
    if (!below(path, bind)) continue;
    if (best == nullptr || bind.container.size() > best->container.size()) best = &bind;
  }
  return best == nullptr ? std::string(path) : *below(path, *best);
}

// Runtimes take a relative path for one of the current folder, or for the name of a volume.
std::string from_project_root(const std::string& path, const ContainerContext& context) {
  if (starts_with(path, "/")) return path;
  std::string rest = path;
  while (starts_with(rest, "./")) rest.erase(0, 2);
  return rest == "." ? context.project_root : context.project_root + "/" + rest;
}

}  // namespace

Result<std::string> fill_in(std::string text, const ContainerContext& context,
                            const std::string& place) {
  if (context.data_root.empty() && text.find("{data_root}") != std::string::npos) {
    return usage_error(place + ": " + quoted(text) +
                       " needs data_root, which no config sets (data_root: in the config)");
  }
  replace_all(text, "{data_root}", context.data_root);
  replace_all(text, "{project_root}", context.project_root);
  return text;
}

Result<std::vector<Bind>> data_binds(const ContainerContext& context) {
  std::vector<Bind> binds;
  if (context.package == nullptr) return binds;
  for (Bind bind : context.package->data_binds) {
    COMPUTE_SCALE_TRY(host, fill_in(bind.host, context, "package " + context.package->name));
    bind.host = from_project_root(host, context);
    binds.push_back(std::move(bind));
  }
  return binds;
}

std::string to_host_paths(std::string_view value, const std::vector<Bind>& binds) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(value, ':')) parts.push_back(to_host_path(part, binds));
  return join(parts, ":");
}

bool has_reference(std::string_view value) {
  return find_reference(value, 0).has_value();
}

std::string expandable(std::string_view value) {
  std::string out;
  std::size_t done = 0;
  const auto literal = [&](std::size_t end) {
    if (end > done) out += single_quote(value.substr(done, end - done));
  };
  while (const auto reference = find_reference(value, done)) {
    literal(reference->begin);
    const std::string name(value.substr(reference->begin + 2, reference->size - 3));
    out += "\"${" + name + "-}\"";
    done = reference->begin + reference->size;
  }
  literal(value.size());
  return out;
}

std::string expanded(std::string_view value,
                     const std::function<std::string_view(std::string_view)>& look_up) {
  std::string out;
  std::size_t done = 0;
  while (const auto reference = find_reference(value, done)) {
    out += value.substr(done, reference->begin - done);
    out += look_up(value.substr(reference->begin + 2, reference->size - 3));
    done = reference->begin + reference->size;
  }
  return out.append(value.substr(done));
}

}  // namespace compute_scale
