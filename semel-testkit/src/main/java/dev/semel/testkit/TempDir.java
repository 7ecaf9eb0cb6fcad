package dev.semel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory of this JVM, removed on close. The JVM holds a file lock in it, so that a later run
 * can tell what a killed run left behind, and remove that.
 */
final class TempDir implements AutoCloseable {

  private static final String PREFIX = "semel-testkit-";
  private static final String LOCK = ".lock";
  private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rwx--x--x");
  private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel lock;

  private TempDir(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  static TempDir create(String purpose) throws IOException {
    sweep();
    Path path =
        Files.createTempDirectory(
            base(), PREFIX + purpose + "-", PosixFilePermissions.asFileAttribute(MODE));
    // the process's umask may have taken the x bits away
    Files.setPosixFilePermissions(path, MODE);
    OURS.add(path);
    FileChannel lock =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    lock.lock();
    // only a lock file with something in it is judged by others: from here on we hold it
    lock.write(
        ByteBuffer.wrap(
            Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
    return new TempDir(path, lock);
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    try {
      deleteTree(path);
      lock.close();
      OURS.remove(path);
    } catch (IOException e) {
      throw new UncheckedIOException("could not remove " + path, e);
    }
  }

  /** Removes what JVMs left that were killed: directories whose lock nobody holds. */
  static void sweep() throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(base(), PREFIX + "*")) {
      for (Path each : left) {
        // merely opening and closing our own lock file would release the lock
        if (!OURS.contains(each)) {
          sweepOne(each);
        }
      }
    }
  }

  private static Path base() {
    return Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
  }

  private static void sweepOne(Path dir) {
    Path lockFile = dir.resolve(LOCK);
    try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE)) {
      if (channel.size() > 0 && channel.tryLock() != null) {
        deleteTree(dir);
      }
    } catch (IOException e) {
      // somebody else's, or gone already: not ours to remove
      return;
    }
  }

  static void deleteTree(Path root) throws IOException {
    Files.walkFileTree(root, new Deletion());
  }

  /** Tolerates files that vanish meanwhile. */
  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw e;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e)
        throws IOException {
      Files.deleteIfExists(dir);
      return FileVisitResult.CONTINUE;
    }
  }
}
