import { mkdirSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const memoryDir = '/dev/shm'
const minBytes = 4 * 1024 ** 3

/**
 * Creates a folder for one test run, with a `tmp` folder for the files that tests write. `inMemory`: uses a memory file system
 * if the machine has enough room, so that commits do not wait for a disk.
 * @param {boolean} inMemory
 */
export function makeRunDir(inMemory) {
  const dir = mkdtempSync(join(inMemory && hasRoomInMemory() ? memoryDir : tmpdir(), 'nines-run-'))
  mkdirSync(join(dir, 'tmp'))
  return dir
}

function hasRoomInMemory() {
  try {
    const mount = readFileSync('/proc/mounts', 'latin1')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === memoryDir)
    if (!mount || mount.includes('noexec')) return false // tests run programs that they have written there
    const { bavail, bsize } = statfsSync(memoryDir)
    return Math.min(bavail * bsize, freemem()) >= minBytes
  } catch {
    return false // not Linux
  }
}
