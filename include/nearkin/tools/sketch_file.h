// Sketch files: the sketches of an input in one file, so later runs need not compute them again.
#pragma once

#include <optional>
#include <string>

#include <nearkin/run.h>

namespace nearkin {

/// Writes the sketches of an input. `pairs`, `cluster`, `dedup`, list_pairs and list_clusters accept sketch files among Input::paths,
/// recognised by their content, together with other inputs. A sketch file represents the files it was made from. These must still exist,
/// unchanged: candidates and kept records are read from them. (The records of standard input and compressed files are in the sketch file
/// itself.) Throws Error(plan) for plans without sketches of sets.
RunStats write_sketches(const Input& input, const std::string& output, const Plan& plan, const RunOptions& options = {});
/// The plan of the sketch files among the paths; absent if there are none. Throws Error(plan) if two differ.
std::optional<Plan> plan_of_sketches(const Input& input);

}  // namespace nearkin
