// test_atomic_file.c: files that are replaced as a whole: who may read them, before and after, and that a process which
// is killed while it writes leaves nothing. Failing disks are tests/failing/failing_weights.c's.
#define _POSIX_C_SOURCE 200809L // lstat, symlink
#include "atomic_file.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "on_linux.h"

TestSuite(atomic_file, .init = folder_enter, .fini = folder_leave);

static mode_t mode_of(const char *path)
{
    struct stat st;
    cr_assert_eq(stat(path, &st), 0, "%s is not there", path);
    return st.st_mode & 07777;
}

static void expect_content(const char *path, const char *expected)
{
    char found[64] = "";
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s is not there", path);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    (void)fclose(file);
    cr_expect_str_eq(found, expected, "%s", path);
}

// Writes "new" to path; the mode that the file has while it is written.
static mode_t replace(const char *path)
{
    struct ga_atomic_file file;
    struct ga_error error = {.text = ""};
    struct stat st;
    cr_assert_eq(ga_atomic_file_new(path, &file, &error), GA_OK, "%s", error.text);
    const bool good = ga_atomic_file_put(&file, "new", 3);
    cr_assert_eq(fstat(file.fd, &st), 0);
    cr_expect_eq(ga_atomic_file_end(&file, good, &error), GA_OK, "%s", error.text);
    expect_content(path, "new");
    return st.st_mode & 07777;
}

// -- Who may read it ------------------------------------------------------------------------------------------------

Test(atomic_file, a_replaced_file_keeps_its_mode_and_a_new_one_has_that_of_any_file)
{
    static const mode_t modes[] = {0600, 0640, 0644, 0666, 0400, 0700};
    (void)umask(022);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        folder_write("file", "old", 3);
        cr_assert_eq(chmod("file", modes[i]), 0);
        cr_expect_eq(replace("file"), modes[i], "%o while it is written", (unsigned)modes[i]);
        cr_expect_eq(mode_of("file"), modes[i], "%o", (unsigned)modes[i]);
        cr_assert_eq(remove("file"), 0);
    }
    cr_expect_eq(replace("file"), 0644);
    cr_expect_eq(mode_of("file"), 0644);
    (void)umask(077);
    cr_expect_eq(replace("other"), 0600);
    cr_expect_eq(mode_of("other"), 0600);
    cr_expect_eq(folder_count(), 2);
}

Test(atomic_file, a_link_is_replaced_by_a_file_of_the_mode_of_what_it_leads_to)
{
    struct stat st;
    folder_write("secret", "old", 3);
    cr_assert(chmod("secret", 0600) == 0 && symlink("secret", "link") == 0 && symlink("nowhere", "dangling") == 0);
    cr_expect_eq(replace("link"), 0600);
    cr_expect(lstat("link", &st) == 0 && S_ISREG(st.st_mode));
    expect_content("secret", "old");
    (void)replace("dangling");
    cr_expect(lstat("dangling", &st) == 0 && S_ISREG(st.st_mode));
    cr_expect_eq(folder_count(), 3);
}

// -- Names ----------------------------------------------------------------------------------------------------------

Test(atomic_file, a_name_may_be_as_long_as_any)
{
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    for (int i = 0; i < 2; i++) { // a new one, and one that is replaced
        (void)replace(name);
    }
    cr_expect_eq(folder_count(), 1);
}

// -- Killed ---------------------------------------------------------------------------------------------------------

// All entries, those that are hidden too.
static size_t count_all(void)
{
    size_t count = 0;
    DIR *entries = opendir(".");
    cr_assert_not_null(entries);
    while (readdir(entries)) {
        count++;
    }
    closedir(entries);
    return count;
}

// Writes some of path, then gets the signal. SIGXFSZ comes from the system, at the byte that goes beyond the limit.
static void die_writing(const char *path, int number)
{
    struct ga_atomic_file file;
    const struct rlimit limit = {4, 4}, no_core = {0, 0};
    const bool good = ga_atomic_file_new(path, &file, NULL) == GA_OK && ga_atomic_file_put(&file, "half", 4);
    (void)signal(number, SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (good && number == SIGXFSZ) {
        (void)setrlimit(RLIMIT_FSIZE, &limit);
        (void)ga_atomic_file_put(&file, "more", 4);
    } else if (good) {
        (void)raise(number);
    }
    _exit(1);
}

Test(atomic_file, a_process_that_is_killed_leaves_nothing)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGKILL};
    const int fd = ga_unnamed_file_open(".", 0600);
    if (fd < 0) {
        cr_skip_test("the file system of /tmp has no files without names");
    }
    (void)close(fd);
    folder_write("old", "old", 3);
    const size_t entries = count_all();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int is_new = 0; is_new <= 1; is_new++) {
            int status = 0;
            const pid_t child = fork();
            if (child == 0) {
                die_writing(is_new ? "new" : "old", numbers[i]);
            }
            cr_assert_eq(waitpid(child, &status, 0), child);
            cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i], "signal %d: %x", numbers[i],
                      (unsigned)status);
            cr_expect_eq(count_all(), entries, "signal %d left a file", numbers[i]);
        }
    }
    expect_content("old", "old");
}
