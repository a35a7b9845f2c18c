import { randomBytes } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Break, overRestart } from './break.ts'
import type { World } from './world.ts'

const pageBytes = 4096
const pieceBytes = 1024 * 1024
/** Space that is left to be filled in small pieces while nines writes too. */
const restBytes = 16 * 1024 * 1024
const stopMs = 20_000
const maxLifeMs = 12_000
/** Free space left on a disk that is nearly full. */
const leftBytes = 100 * 1024 * 1024

export const insideBreaks: Break[] = [
  ...(['nines.db', 'samples.db'] as const).flatMap((file) => [
    damage(`page of ${file} overwritten while stopped`, (world, page) =>
      overRestart(world, () => overwrite(world, file, page)),
    ),
    damage(`page of ${file} overwritten while running`, async (world, page) => overwrite(world, file, page)),
  ]),
  {
    family: 'disk',
    name: 'disk full',
    needs: 'disk',
    async begin(world) {
      await take(world.dataDir, restBytes)
      fill(world)
      await writeMuch(world)
    },
    mend: ({ dataDir }) => rmSync(`${dataDir}.ballast`),
    unknownSlos: 'all',
    mustShow: /disk_full|not ready/,
  },
  {
    family: 'disk',
    name: 'disk read-only over a restart',
    needs: 'disk',
    begin: (world) => overRestart(world, () => remount(world, 'ro')),
    async mend(world) {
      remount(world, 'rw')
      await world.start()
    },
    unknownSlos: 'all',
    mustShow: /start refused|not ready/,
  },
  {
    family: 'folder',
    name: 'data folder moved away',
    begin: ({ dataDir }) => renameSync(dataDir, `${dataDir}.away`),
    mend: ({ dataDir }) => renameSync(`${dataDir}.away`, dataDir),
    unknownSlos: 'none',
    mustShow: /not ready/,
  },
  {
    family: 'folder',
    name: 'data folder replaced by a copy',
    begin({ dataDir }) {
      renameSync(dataDir, `${dataDir}.away`)
      cpSync(`${dataDir}.away`, dataDir, { recursive: true })
    },
    mend({ dataDir }) {
      rmSync(dataDir, { recursive: true })
      renameSync(`${dataDir}.away`, dataDir)
    },
    unknownSlos: 'none',
    mustShow: /not ready/,
  },
  ...['nines.db', 'seal.secret', 'jwt.secret'].map((file): Break => ({
    family: file === 'nines.db' ? 'folder' : 'secret',
    name: `${file} removed over a restart`,
    begin: (world) => overRestart(world, () => renameSync(join(world.dataDir, file), `${world.dataDir}.kept`)),
    async mend(world) {
      await world.stop('SIGTERM')
      renameSync(`${world.dataDir}.kept`, join(world.dataDir, file))
      await world.start()
    },
    unknownSlos: 'all',
    mustShow: /start refused/,
  })),
  replacedSecret('seal.secret', { unknownSlos: 'all', mustShow: /start refused/ }),
  replacedSecret('jwt.secret', { unknownSlos: 'none' }), // users must sign in again; API tokens keep working
  {
    family: 'signal',
    name: 'SIGKILL',
    async begin(world, random) {
      world.around.setSwitch(false) // so that there is or just was something to notify
      await Bun.sleep(random() * maxLifeMs)
      await world.stop('SIGKILL')
      await world.start()
    },
    mend: () => {},
    unknownSlos: 'none',
  },
  {
    family: 'signal',
    name: 'SIGSTOP for 20 s',
    async begin(world) {
      world.nines()?.kill('SIGSTOP')
      await Bun.sleep(stopMs)
      world.nines()?.kill('SIGCONT')
    },
    mend: () => {},
    unknownSlos: 'none',
    mayPersist: /clock_jumped/, // nines cannot detect the end
  },
  descriptors(),
  {
    family: 'disk',
    name: 'disk nearly full',
    needs: 'disk',
    begin: ({ dataDir }) => take(dataDir, leftBytes),
    mend: ({ dataDir }) => rmSync(`${dataDir}.ballast`),
    unknownSlos: 'none',
    mustShow: /disk_nearly_full/,
  },
]

function damage(name: string, begin: (world: World, page: number) => Promise<void>): Break {
  return {
    family: 'page',
    name,
    async begin(world, random) {
      await world.run(['backup', `${world.dataDir}.backup`])
      await begin(world, random())
    },
    async mend(world) {
      await world.stop('SIGKILL')
      rmSync(world.dataDir, { recursive: true })
      await world.run(['restore', `${world.dataDir}.backup`])
      await world.start()
    },
    unknownSlos: 'all',
  }
}

/** `where`: 0 is the first page, 1 is just after the last. */
function overwrite({ dataDir }: World, name: string, where: number): void {
  const path = join(dataDir, name)
  const page = Math.floor(where * (statSync(path).size / pageBytes))
  const file = openSync(path, 'r+')
  writeSync(file, randomBytes(pageBytes), 0, pageBytes, page * pageBytes)
  closeSync(file)
}

/** Fills the disk except for `leftBytes`, in a child process: this one must keep answering. */
async function take(dataDir: string, leftBytes: number): Promise<void> {
  const { bavail, bsize } = statfsSync(join(dataDir, '..'))
  const bytes = Math.max(1, bavail * bsize - leftBytes)
  const ballast = Bun.spawn(['fallocate', '--length', String(bytes), `${dataDir}.ballast`])
  if ((await ballast.exited) !== 0) throw new Error('no room could be taken')
}

function fill({ dataDir }: World): void {
  const file = openSync(`${dataDir}.ballast`, 'a')
  try {
    for (let bytes = pieceBytes; bytes >= 512;) bytes = written(file, bytes) ? bytes : bytes / 2
  } finally {
    closeSync(file)
  }
}

/** Writes until nothing fits any more, including the space that SQLite has already allocated. */
async function writeMuch(world: World): Promise<void> {
  for (let number = 0; number < 100; number += 1) {
    const entry = { key: `ballast ${number}`, query: 'up', slo_id: 1, time_window: '1h', result: 'x'.repeat(200_000) }
    const answer = await world
      .nines()
      ?.call('POST', '/api/v1/cache/entry', entry, world.token)
      .catch(() => null)
    if (answer && answer.status >= 500) return
    await Bun.sleep(20)
  }
}

function written(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) > 0
  } catch {
    return false
  }
}

function remount({ disk }: World, how: 'ro' | 'rw'): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,${how}`, disk ?? ''])
  if (status !== 0) throw new Error(stderr.toString())
}

function replacedSecret(name: string, expected: Pick<Break, 'unknownSlos' | 'mustShow'>): Break {
  return {
    family: 'secret',
    name: `${name} replaced over a restart`,
    begin: (world) =>
      overRestart(world, () => {
        renameSync(join(world.dataDir, name), `${world.dataDir}.kept`)
        writeFileSync(join(world.dataDir, name), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
      }),
    async mend(world) {
      await world.stop('SIGTERM')
      renameSync(`${world.dataDir}.kept`, join(world.dataDir, name))
      await world.start()
    },
    ...expected,
  }
}

function descriptors(): Break {
  const sockets: Socket[] = []
  return {
    family: 'descriptors',
    name: 'more connections than file descriptors',
    async begin(world) {
      await world.stop('SIGTERM')
      await world.start({ maxDescriptors: 256 })
      const port = Number(new URL(world.nines()?.url ?? '').port)
      for (let number = 0; number < 500; number += 1) {
        sockets.push(createConnection({ host: '127.0.0.1', port }).on('error', () => {}))
      }
    },
    async mend(world) {
      for (const socket of sockets.splice(0)) socket.destroy()
      await overRestart(world, () => {})
    },
    unknownSlos: 'none',
  }
}
