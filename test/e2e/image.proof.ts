import { afterEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fetchBasePackages, makeImage } from '../../scripts/release/image.mjs'
import { closeAll } from '../support/closing.ts'
import { command, newFolder, register, startNines } from '../support/process.ts'
import { runCommand } from '../support/run-command.ts'

const isInCi = process.env['CI'] === 'true'
const mayMount = Bun.spawnSync(['unshare', '--mount', 'true']).exitCode === 0
const isSkipped = !isInCi && (!mayMount || Bun.which('apt-get') === null || process.env['NINES_BIN'] === undefined)
if (isSkipped) process.stderr.write('Skipped, "the container image": it takes root, apt-get and the executable\n')

afterEach(closeAll)

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

/** Makes an image of the executable, and unpacks the archive. Returns the folder of its OCI layout. */
function unpackedImage(): string {
  const folder = newFolder()
  const packages = join(folder, 'packages')
  fetchBasePackages('amd64', packages)
  const outfile = join(folder, 'image.tar')
  const [executable = ''] = command
  makeImage({
    executable,
    version: '0.1.0',
    architecture: 'amd64',
    packages,
    outfile,
    epochSeconds: 1_790_000_000,
    gzipLevel: 1,
  })
  const layout = join(folder, 'layout')
  mkdirSync(layout)
  runCommand('tar', '-xf', outfile, '-C', layout)
  return layout
}

/** Reads the image as a container runtime does: from `index.json` to the manifest and its configuration. */
function readImage(layout: string) {
  const blob = ({ digest }: { digest: string }) => join(layout, 'blobs', digest.replace(':', '/'))
  const [described] = readJson(layout, 'index.json').manifests
  const manifest = readJson(blob(described))
  const name: string = described.annotations['io.containerd.image.name']
  return { name, layers: manifest.layers.map(blob) as string[], ...readJson(blob(manifest.config)) }
}

/** Command that runs a program in a root as docs/compose.yaml has it: the root is read-only, with `/tmp` and the volume `/data`. */
function inContainer(root: string, data: string, user: string): string[] {
  const script = `set -e
    mount --bind "$1" "$1"
    mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
    mount --bind "$2" "$1/data"
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -o remount,ro,bind "$1"
    root=$1
    shift 2
    exec /usr/sbin/chroot --userspec=${user} --groups= "$root" "$@"`
  return ['unshare', '--mount', 'sh', '-c', script, 'sh', root, data]
}

describe.skipIf(isSkipped)('the container image', () => {
  test('is an OCI layout whose blobs have their digests, and runs as its own user on a read-only root', async () => {
    const layout = unpackedImage()
    const blobs = join(layout, 'blobs/sha256')
    for (const name of readdirSync(blobs)) {
      expect(
        createHash('sha256')
          .update(readFileSync(join(blobs, name)))
          .digest('hex'),
      ).toBe(name)
    }
    expect(readJson(layout, 'oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' })
    const { name, config, layers } = readImage(layout)
    expect(config.User).toBe('10001:10001')
    const forDocker = readJson(layout, 'manifest.json')[0].RepoTags
    const compose = Bun.YAML.parse(readFileSync('docs/compose.yaml', 'utf8'))
    const { image } = (compose as { services: { nines: { image: string } } }).services.nines
    expect([name, forDocker]).toEqual([`docker.io/library/${image}`, [image]])

    const [root, data] = [newFolder(), newFolder()]
    chmodSync(root, 0o755)
    for (const layer of layers) runCommand('tar', '-xzf', layer, '-C', root)
    expect(statSync(join(root, 'data')).uid).toBe(10001)
    chownSync(data, 10001, 10001)
    const set = Object.fromEntries(config.Env.map((line: string) => line.split('=', 2)))
    const container = {
      dataDir: set.DATA_DIR,
      env: { ...set, HOST: '127.0.0.1', PORT: '0' },
      through: inContainer(root, data, config.User),
      program: config.Entrypoint,
    }
    const nines = await startNines({ ...container, args: config.Cmd })
    const token = await register(nines, 'ada')
    const zone = await nines.call('PUT', '/api/v1/organization', { time_zone: 'Europe/Zurich' }, token)
    expect(zone.status).toBe(200)
    const status = readFileSync(`/proc/${nines.pid}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m)
    expect(statSync(join(data, 'nines.db')).uid).toBe(10001)
    const healthcheck = [...config.Entrypoint, 'healthcheck']
    const env = { ...container.env, PORT: new URL(nines.url).port }
    const check = () => Bun.spawnSync([...container.through, ...healthcheck], { env })
    expect(check().exitCode).toBe(0)
    nines.kill(config.StopSignal)
    expect(await nines.exited).toBe(0)
    expect(check().exitCode).toBe(1)

    const again = await startNines({ ...container, args: config.Cmd })
    const account = { email: 'ada@example.com', password: 'correct horse' }
    expect((await again.call('POST', '/api/v1/auth/login', account)).status).toBe(200)
    again.kill(config.StopSignal)
    expect(await again.exited).toBe(0)
  }, 240_000) // packages come from Debian's mirror
})
