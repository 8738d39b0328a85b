/**
 * Reports saved files.
 *
 * It watches each folder by itself: on Linux, node's `recursive` option watches each file, and loses one that
 * an editor saves by renaming another over it.
 */
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join, sep } from "node:path";

/**
 * Calls `onSave` with the path of each file or folder that is written, made, renamed or removed.
 *
 * @param ignored paths that are not watched, and nothing below them
 */
export function watchFolders(
  folders: readonly string[],
  ignored: readonly string[],
  onSave: (path: string) => void,
): void {
  const watchers = new Map<string, FSWatcher>();

  const add = (folder: string) => {
    if (ignored.includes(folder)) return;
    const watcher = watch(folder, (event, name) => {
      if (name === null) return;
      const path = join(folder, name);
      if (ignored.includes(path)) return;
      if (event === "rename") follow(path);
      onSave(path);
    });
    // The folder was removed; its parent reports that.
    watcher.on("error", () => remove(folder));
    watchers.set(folder, watcher);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) add(join(folder, entry.name));
    }
  };

  const remove = (folder: string) => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      watchers.delete(path);
    }
  };

  /** A folder was made, moved or removed: its old watchers watch an inode that may be elsewhere now. */
  const follow = (path: string) => {
    remove(path);
    try {
      if (statSync(path).isDirectory()) add(path);
    } catch {
      // Removed again in the meantime.
    }
  };

  for (const folder of folders) add(folder);
}
