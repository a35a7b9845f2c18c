import { mkdirSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const memoryDir = '/dev/shm'
const minBytes = 4 * 1024 ** 3

/**
 * Makes the folder for what the tests of one run share, and in its `tmp` for all they write. `inMemory`: where the machine
 * has room for that; a commit does not wait for a disk there.
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
    if (!mount || mount.includes('noexec')) return false // tests start programs that they write
    const { bavail, bsize } = statfsSync(memoryDir)
    return Math.min(bavail * bsize, freemem()) >= minBytes
  } catch {
    return false // not Linux
  }
}
