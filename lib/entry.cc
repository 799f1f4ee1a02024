#include "entry.h"

#include <string_view>
#include <unordered_map>

namespace compute_scale {

EnvList overlay(EnvList base, const EnvList& over) {
  if (over.empty()) return base;
  base.reserve(base.size() + over.size());  // the index below points into its strings
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < base.size(); ++i) index.emplace(base[i].first, i);
  for (const auto& [name, value] : over) {
    if (const auto known = index.find(name); known != index.end()) {
      base[known->second].second = value;
    } else {
      base.emplace_back(name, value);
      index.emplace(base.back().first, base.size() - 1);
    }
  }
  return base;
}

std::vector<std::string> assignments(const EnvList& env) {
  std::vector<std::string> words;
  words.reserve(env.size());
  for (const auto& [name, value] : env) {
    std::string& word = words.emplace_back(name);
    word += '=';
    word += value;
  }
  return words;
}

}  // namespace compute_scale
