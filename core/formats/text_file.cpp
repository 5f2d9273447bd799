// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_files.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace polyrail {

namespace {

tl::unexpected<Error> ioError(const std::string &path, int code, std::string expected, std::string remedy)
{
    return fail({ErrorKind::Io, path, std::strerror(code), std::move(expected), std::move(remedy)});
}

/// A file descriptor that is closed on every way out.
class Descriptor
{
public:
    explicit Descriptor(int fd) : m_fd(fd) { }
    ~Descriptor() { close(); }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    bool valid() const { return m_fd >= 0; }
    int get() const { return m_fd; }
    /// 0 or the error code: some file systems report a full disk only here.
    int close()
    {
        const int fd = m_fd;
        m_fd = -1;
        return fd >= 0 && ::close(fd) != 0 && errno != EINTR ? errno : 0;
    }

private:
    int m_fd;
};

int writeAll(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

std::string folderOf(const std::string &path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Where a symbolic link leads: the file is replaced, not the link.
std::string resolved(const std::string &path)
{
    char *real = ::realpath(path.c_str(), nullptr);
    if (!real)
        return path;
    std::string target(real);
    std::free(real);
    return target;
}

constexpr const char *spaceRemedy = "Check that the folder exists, is writable and has space left.";

} // namespace

Result<std::string> readTextFile(const std::string &path, std::size_t maxBytes)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid())
        return ioError(path, errno, "a readable file", "Check the path and the permissions.");
    struct stat status
    {
    };
    if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode))
        return ioError(path, EISDIR, "a file", "Name a file inside the folder.");
    std::string text;
    if (S_ISREG(status.st_mode) && status.st_size > 0)
        text.reserve(std::min(static_cast<std::size_t>(status.st_size), maxBytes) + 1);
    char buffer[65536];
    for (;;) {
        const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ioError(path, errno, "a readable file", "Check the file.");
        if (n == 0)
            return text;
        if (text.size() + static_cast<std::size_t>(n) > maxBytes)
            return fail({ErrorKind::Io, path, "more than " + std::to_string(maxBytes) + " bytes", "a smaller file",
                "Check that this is the right file."});
        text.append(buffer, static_cast<std::size_t>(n));
    }
}

Result<void> writeTextFile(const std::string &path, std::string_view text)
{
    const std::string target = resolved(path);
    struct stat status
    {
    };
    const bool exists = ::stat(target.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return ioError(path, EISDIR, "a file", "Name a file inside the folder.");
    if (exists && !S_ISREG(status.st_mode)) { // a pipe or a device cannot be replaced
        Descriptor device(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
        const int failure = device.valid() ? writeAll(device.get(), text) : errno;
        if (failure != 0)
            return ioError(path, failure, "a writable file", spaceRemedy);
        return {};
    }
    if (exists && ::access(target.c_str(), W_OK) != 0) // rename() would replace a file that is write-protected
        return ioError(path, errno, "a writable file", "Change the permissions, or save under another name.");

    static std::atomic<unsigned> counter{0};
    const std::string temporary
        = target + ".tmp-" + std::to_string(::getpid()) + '-' + std::to_string(counter.fetch_add(1));
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.valid())
        return ioError(path, errno, "a folder that can be written to", spaceRemedy);
    int failure = exists && ::fchmod(file.get(), status.st_mode & 07777) != 0 ? errno : 0;
    if (failure == 0)
        failure = writeAll(file.get(), text);
    if (failure == 0 && ::fsync(file.get()) != 0 && errno != EINVAL)
        failure = errno;
    if (const int closing = file.close(); failure == 0)
        failure = closing;
    if (failure == 0 && ::rename(temporary.c_str(), target.c_str()) != 0)
        failure = errno;
    if (failure != 0) {
        ::unlink(temporary.c_str());
        return ioError(path, failure, "a complete write (the old file is as it was)", spaceRemedy);
    }
    // The name itself becomes durable with the folder; a folder that cannot be synced is no error.
    const Descriptor folder(::open(folderOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid())
        static_cast<void>(::fsync(folder.get()));
    return {};
}

} // namespace polyrail
