// Files of an index in which something was changed: an answer is right, or it is an error that names the index.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nearkin/index.h>
#include <nearkin/tools/names.h>

#include "index/index_support.h"
#include "index/model.h"
#include "support/temp_dir.h"

namespace nearkin::seals_test {
namespace {

using test::file_text;
using test::message_of;
using test::neighbours_of;
using test::some_text;
using test::TempDir;

constexpr std::size_t kPage = 4096;

std::filesystem::path fast_folder() { return std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path(); }

std::string numbered(int i) { return "doc-" + std::to_string(1000 + i).substr(1); }

/// Everything that is asked of an index, and what it says.
struct Answers {
  std::map<std::string, std::string> items;
  std::vector<std::string> ids;
  std::vector<std::vector<test::IndexModel::Neighbour>> neighbours;
  bool operator==(const Answers&) const = default;
};

std::vector<std::string> questions() {
  SplitMix random(77);
  std::vector<std::string> texts;
  for (int i = 0; i < 5; ++i) texts.push_back(some_text(random));
  return texts;
}

void fill(const std::string& folder, const Plan& plan) {
  SplitMix random(5);
  Index index = Index::create(folder, plan, {.texts = true});
  for (int round = 0; round < 2; ++round) {
    std::vector<std::string> ids, texts;
    for (int i = 0; i < 150; ++i) {
      ids.push_back(numbered(i));
      texts.push_back(some_text(random, i % 3 == 0 ? 4 : 30));
    }
    std::vector<IndexItem> items;
    for (std::size_t i = 0; i < ids.size(); ++i) items.push_back({ids[i], texts[i]});
    index.put(items);
  }
}

Answers ask_all(const Index& index) {
  Answers answers;
  for (int i = 0; i < 160; ++i) {
    const std::optional<StoredItem> item = index.get(numbered(i));
    answers.items[numbered(i)] = item ? item->id + " " + item->metadata + " " + *item->text : "none";
  }
  answers.ids = index.ids();
  for (const std::string& text : questions()) answers.neighbours.push_back(neighbours_of(index.query(text)));
  return answers;
}

/// Asks for one thing after the other. Ends with 1 where an answer is wrong, else with 0; a signal is damage that was met, too.
[[noreturn]] void look_for_wrong_answers(const std::string& folder, const Answers& truth) {
  int status = 0;
  const auto right = [&](const std::function<bool()>& asked) {
    try {
      if (!asked()) status = 1;
    } catch (const Error& error) {
      if (std::string(error.what()).find(folder) == std::string::npos) status = 1;
    }
  };
  ::alarm(60);
  try {
    const Index index = Index::open(folder);
    for (const auto& [id, expected] : truth.items) {
      right([&, &id = id, &expected = expected] {
        const std::optional<StoredItem> item = index.get(id);
        return (item ? item->id + " " + item->metadata + " " + *item->text : "none") == expected;
      });
    }
    right([&] { return index.ids() == truth.ids; });
    for (std::size_t i = 0; i < truth.neighbours.size(); ++i) {
      right([&] { return neighbours_of(index.query(questions()[i])) == truth.neighbours[i]; });
    }
  } catch (const Error&) {
  }
  ::_exit(status);
}

class DamagedFile : public testing::Test {
 protected:
  void make(const Plan& plan) {
    fill(folder_, plan);
    truth_ = ask_all(Index::open(folder_));
    whole_ = file_text(folder_ + "/tables-1/data.mdb");
  }

  void write(const std::string& bytes) {
    std::filesystem::remove_all(broken_);
    std::filesystem::copy(folder_, broken_, std::filesystem::copy_options::recursive);
    std::ofstream(broken_ + "/tables-1/data.mdb", std::ios::binary) << bytes;
  }

  /// False: an answer was wrong, or did not come.
  bool answers_rightly(const std::string& bytes) {
    write(bytes);
    const pid_t child = ::fork();
    if (child == 0) look_for_wrong_answers(broken_, truth_);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return WTERMSIG(status) != SIGALRM;
    return WEXITSTATUS(status) == 0;
  }

  TempDir dir_{fast_folder()};
  std::string folder_ = dir_.path("whole"), broken_ = dir_.path("broken"), whole_;
  Answers truth_;
};

TEST_F(DamagedFile, AnyBitThatIsFlippedGivesTheRightAnswerOrAnError) {
  for (const Plan& plan : {test::small_plan(), tune({.threshold = 0.5, .recall = 1}, {.shingle = parse_shingle("word:2")})}) {
    make(plan);
    SplitMix random(11);
    for (int i = 0; i < 400; ++i) {
      std::string bytes = whole_;
      // Half of them where the headers of pages and the pointers to their nodes are.
      const std::size_t at = i % 2 == 0 ? random() % bytes.size() : random() % (bytes.size() / kPage) * kPage + random() % 40;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      ASSERT_TRUE(answers_rightly(bytes)) << "byte " << at;
    }
    std::filesystem::remove_all(folder_);
  }
}

/// A page that leads to others. In the place of another it may lead to older copies of pages, which are whole: a read cannot tell
/// (docs/architecture.md). `verify` can, and VerifyFindsEveryChangeThatUsersMeet swaps them, too.
bool is_inner(const std::string& bytes, std::size_t page) { return (bytes[page + 10] & 1) != 0; }

TEST_F(DamagedFile, PagesThatAreSwappedGiveTheRightAnswerOrAnError) {
  make(test::small_plan());
  SplitMix random(12);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = whole_;
    const std::size_t one = random() % (bytes.size() / kPage) * kPage, other = random() % (bytes.size() / kPage) * kPage;
    if (is_inner(bytes, one) || is_inner(bytes, other)) continue;
    bytes.replace(one, kPage, whole_, other, kPage);
    if (i % 2 == 0) bytes.replace(other, kPage, whole_, one, kPage);
    ASSERT_TRUE(answers_rightly(bytes)) << one << " and " << other;
  }
}

/// The bytes with the last `found` in them changed: earlier ones may be on pages that are not in use any more.
std::string with_changed(std::string bytes, const std::string& found, const std::string& changed) {
  for (std::size_t at = bytes.find(found); at != std::string::npos; at = bytes.find(found, at + 1))
    bytes.replace(at, found.size(), changed);
  return bytes;
}

TEST_F(DamagedFile, APlanThatWasChangedIsAnError) {
  make(test::small_plan());
  write(with_changed(whole_, "jaccard>=0.5", "jaccard>=0.9"));
  EXPECT_NE(message_of([&] { Index::open(broken_); }).find(broken_ + ": the setting \"plan\" is damaged; restore"), std::string::npos);
}

TEST_F(DamagedFile, ATextThatIsKeptAsItIsIsCheckedToo) {
  make(test::small_plan());
  const std::string text = *Index::open(folder_).get(numbered(0))->text;
  write(with_changed(whole_, text, "x" + text.substr(1)));
  const Index index = Index::open(broken_);
  EXPECT_NE(message_of([&] { index.get(numbered(0)); }).find(broken_ + ": the text of item 0 is damaged; restore"), std::string::npos);
  EXPECT_NE(index.verify().problem_count, 0u);
}

TEST_F(DamagedFile, VerifyFindsEveryChangeThatUsersMeet) {
  make(test::small_plan());
  SplitMix random(13);
  int met = 0;
  for (int i = 0; i < 150; ++i) {
    std::string bytes = whole_;
    const std::size_t one = random() % (bytes.size() / kPage) * kPage, other = random() % (bytes.size() / kPage) * kPage;
    bytes.replace(one, kPage, whole_, other, kPage);
    bytes.replace(other, kPage, whole_, one, kPage);
    write(bytes);
    const pid_t child = ::fork();
    if (child == 0) {
      int status = 0;
      try {
        const Index index = Index::open(broken_);
        const bool sound = index.verify().problem_count == 0;
        try {
          ask_all(index);
        } catch (const Error&) {
          status = sound ? 1 : 2;
        }
      } catch (const Error&) {
      }
      ::_exit(status);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << "pages at " << one << " and " << other;
    met += WIFEXITED(status) && WEXITSTATUS(status) == 2;
  }
  EXPECT_GT(met, 10);
}

}  // namespace
}  // namespace nearkin::seals_test
