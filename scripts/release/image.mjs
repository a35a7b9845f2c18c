import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const notices = fileURLToPath(new URL('../../THIRD-PARTY-NOTICES.txt', import.meta.url))
const fetchScript = fileURLToPath(new URL('image/base-packages.sh', import.meta.url))

/** User and group of the image, by number: a host or Kubernetes that forbids root sees that it is none. */
const user = 10001

/** Parts of Debian's packages that nothing in the image uses. Copyright files stay. */
const unused = ['usr/share/man', 'usr/share/locale', 'usr/share/lintian', 'usr/share/bug', 'usr/share/gdb'].concat(
  ['usr/share/zoneinfo/right', 'usr/share/zoneinfo/posix', 'usr/sbin', 'sbin', 'etc/ld.so.conf.d'],
  ['x86_64', 'aarch64'].flatMap((machine) => [`usr/lib/${machine}-linux-gnu/gconv`]),
)

const labels = {
  'org.opencontainers.image.title': 'nines',
  'org.opencontainers.image.description': 'service level objectives and error budgets',
}

/**
 * @typedef {{ mediaType: string, digest: string, size: number }} Descriptor
 * @typedef {{ diffId: string, descriptor: Descriptor, createdBy: string }} Layer
 */

/**
 * Fetches the Debian packages of the image into a folder, unless they are there.
 * @param {'amd64' | 'arm64'} architecture
 * @param {string} folder
 */
export function fetchBasePackages(architecture, folder) {
  run('bash', [fetchScript, architecture, folder])
}

/**
 * Makes a container image for one architecture: a tar archive that is an OCI layout and what `docker load` takes. The same input gives
 * the same file, since the times in it are `epochSeconds`. `packages`: folder of `fetchBasePackages`; `gzipLevel`: 1 to 9.
 * @param {{ executable: string, version: string, architecture: 'amd64' | 'arm64', packages: string, outfile: string, epochSeconds: number, gzipLevel?: number }} options
 */
export function makeImage({ executable, version, architecture, packages, outfile, epochSeconds, gzipLevel = 9 }) {
  const folder = mkdtempSync(join(tmpdir(), 'nines-image-'))
  const layout = join(folder, 'layout')
  const blobs = join(layout, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  /** @param {string} name @param {(root: string) => void} fill @param {string} createdBy */
  const layerOf = (name, fill, createdBy) => {
    const root = join(folder, name)
    mkdirSync(root, { mode: 0o755 })
    fill(root)
    const tar = join(folder, `${name}.tar`)
    packTar(root, tar, epochSeconds)
    return addLayer(tar, blobs, createdBy, gzipLevel)
  }
  try {
    const layers = [
      layerOf('base', (root) => fillBase(root, packages), 'Debian 12: packages in /var/lib/dpkg/status.d'),
      layerOf('nines', (root) => fillNines(root, executable), `nines ${version}`),
    ]
    const created = new Date(epochSeconds * 1000).toISOString()
    const config = addJson(blobs, 'application/vnd.oci.image.config.v1+json', {
      created,
      architecture,
      os: 'linux',
      ...(architecture === 'arm64' && { variant: 'v8' }),
      config: {
        User: `${user}:${user}`,
        ExposedPorts: { '8080/tcp': {} },
        Env: ['PATH=/usr/bin:/bin', 'DATA_DIR=/data', 'HOST=0.0.0.0', 'PORT=8080'],
        Entrypoint: ['/usr/bin/nines'],
        Cmd: ['serve'],
        Volumes: { '/data': {} },
        WorkingDir: '/data',
        StopSignal: 'SIGTERM',
        Labels: { ...labels, 'org.opencontainers.image.version': version, 'org.opencontainers.image.created': created },
      },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(({ createdBy }) => ({ created, created_by: createdBy })),
    })
    const mediaType = 'application/vnd.oci.image.manifest.v1+json'
    const manifest = addJson(blobs, mediaType, {
      schemaVersion: 2,
      mediaType,
      config,
      layers: layers.map(({ descriptor }) => descriptor),
    })
    const described = {
      ...manifest,
      platform: { architecture, os: 'linux', ...(architecture === 'arm64' && { variant: 'v8' }) },
      annotations: {
        'io.containerd.image.name': `docker.io/library/nines:${version}`, // as docker save; Podman would name it after the next
        'org.opencontainers.image.ref.name': version,
      },
    }
    writeJson(join(layout, 'oci-layout'), { imageLayoutVersion: '1.0.0' })
    const indexType = 'application/vnd.oci.image.index.v1+json'
    writeJson(join(layout, 'index.json'), { schemaVersion: 2, mediaType: indexType, manifests: [described] })
    const forDocker = {
      Config: pathOf(config),
      RepoTags: [`nines:${version}`],
      Layers: layers.map(({ descriptor }) => pathOf(descriptor)),
    }
    writeJson(join(layout, 'manifest.json'), [forDocker])
    packTar(layout, join(folder, 'image.tar'), epochSeconds)
    copyFileSync(join(folder, 'image.tar'), outfile)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} root
 * @param {string} packages
 */
function fillBase(root, packages) {
  const debs = readdirSync(packages)
    .filter((name) => name.endsWith('.deb'))
    .toSorted()
  const states = join(root, 'var/lib/dpkg/status.d') // where scanners of images look
  mkdirSync(states, { recursive: true })
  for (const name of debs) {
    const deb = join(packages, name)
    run('dpkg-deb', ['--extract', deb, root])
    writeFileSync(join(states, name.slice(0, name.indexOf('_'))), run('dpkg-deb', ['--field', deb]))
  }
  for (const path of unused) rmSync(join(root, path), { recursive: true, force: true })
  const shared = join(root, 'usr/share/doc')
  for (const name of readdirSync(shared)) keepOnly(join(shared, name), 'copyright')
  const authorities = join(root, 'usr/share/ca-certificates/mozilla')
  const certificates = readdirSync(authorities).toSorted()
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true })
  const bundle = certificates.map((name) => readFileSync(join(authorities, name), 'utf8').trimEnd()).join('\n')
  writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), `${bundle}\n`)
  const nologin = '/usr/sbin/nologin'
  writeFileSync(
    join(root, 'etc/passwd'),
    `root:x:0:0:root:/root:${nologin}\nnines:x:${user}:${user}:nines:/data:${nologin}\n`,
  )
  writeFileSync(join(root, 'etc/group'), `root:x:0:\nnines:x:${user}:\n`)
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n')
  for (const name of ['dev', 'proc', 'sys', 'run', 'root']) mkdirSync(join(root, name), { recursive: true })
  mkdirSync(join(root, 'tmp'))
  chmodSync(join(root, 'tmp'), 0o1777)
}

/**
 * @param {string} root
 * @param {string} executable
 */
function fillNines(root, executable) {
  for (const folder of ['usr/bin', 'usr/share/doc/nines', 'data']) mkdirSync(join(root, folder), { recursive: true })
  copyFileSync(executable, join(root, 'usr/bin/nines'))
  chmodSync(join(root, 'usr/bin/nines'), 0o755)
  copyFileSync(notices, join(root, 'usr/share/doc/nines/THIRD-PARTY-NOTICES.txt'))
  chmodSync(join(root, 'usr/share/doc/nines/THIRD-PARTY-NOTICES.txt'), 0o644)
  chmodSync(join(root, 'data'), 0o700)
}

/**
 * @param {string} folder
 * @param {string} kept
 */
function keepOnly(folder, kept) {
  if (!lstatSync(folder).isDirectory()) return
  for (const name of readdirSync(folder)) {
    if (name !== kept) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Packs a folder; `data` in it belongs to the user of the image, all else to root.
 * @param {string} root
 * @param {string} file
 * @param {number} epochSeconds
 */
function packTar(root, file, epochSeconds) {
  const flags = ['--format=gnu', '--sort=name', '--numeric-owner', `--mtime=@${epochSeconds}`, '-C', root]
  const names = readdirSync(root).toSorted()
  const isVolume = existsSync(join(root, 'data'))
  const others = names.filter((name) => !isVolume || name !== 'data')
  run('tar', ['-c', '-f', file, ...flags, '--owner=0', '--group=0', '--', ...others])
  if (isVolume) run('tar', ['-r', '-f', file, ...flags, `--owner=${user}`, `--group=${user}`, '--', 'data'])
}

/**
 * @param {string} tar
 * @param {string} blobs
 * @param {string} createdBy
 * @param {number} level
 * @returns {Layer}
 */
function addLayer(tar, blobs, createdBy, level) {
  const diffId = digestOf(readFileSync(tar))
  run('gzip', ['-n', `-${level}`, tar])
  const bytes = readFileSync(`${tar}.gz`)
  const digest = digestOf(bytes)
  const path = join(blobs, digest.slice('sha256:'.length))
  renameSync(`${tar}.gz`, path)
  const mediaType = 'application/vnd.oci.image.layer.v1.tar+gzip'
  return { diffId, createdBy, descriptor: { mediaType, digest, size: bytes.length } }
}

/**
 * @param {string} blobs
 * @param {string} mediaType
 * @param {unknown} value
 * @returns {Descriptor}
 */
function addJson(blobs, mediaType, value) {
  const bytes = Buffer.from(JSON.stringify(value))
  const digest = digestOf(bytes)
  writeFileSync(join(blobs, digest.slice('sha256:'.length)), bytes)
  return { mediaType, digest, size: bytes.length }
}

/** @param {Descriptor} descriptor */
function pathOf({ digest }) {
  return `blobs/${digest.replace(':', '/')}`
}

/** @param {Buffer} bytes */
function digestOf(bytes) {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? stderr}`)
  return stdout
}
