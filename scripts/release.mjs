import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChild } from './child.mjs'
import { root } from './install.mjs'
import { makeDeb } from './release/deb.mjs'
import { fetchBasePackages, makeImage } from './release/image.mjs'
import { makeRpm } from './release/rpm.mjs'
import { sbomOf } from './release/sbom.mjs'

/**
 * What is released for each platform. `build`: target of the compiler, of which `-baseline` runs on processors without AVX2;
 * `deb` and `rpm`: architectures of the packages of it; that of the image is the one of `deb`.
 * @type {{ target: string, build: string, deb?: 'amd64' | 'arm64', rpm?: 'x86_64' | 'aarch64' }[]}
 */
const platforms = [
  { target: 'linux-x64', build: 'linux-x64-baseline', deb: 'amd64', rpm: 'x86_64' },
  { target: 'linux-x64-musl', build: 'linux-x64-musl-baseline' },
  { target: 'linux-arm64', build: 'linux-arm64', deb: 'arm64', rpm: 'aarch64' },
  { target: 'linux-arm64-musl', build: 'linux-arm64-musl' },
  { target: 'darwin-x64', build: 'darwin-x64' },
  { target: 'darwin-arm64', build: 'darwin-arm64' },
]

const { values } = parseArgs({ options: { target: { type: 'string', multiple: true, default: [] } } })
const chosen = values.target.length === 0 ? platforms : platforms.filter(({ target }) => values.target.includes(target))
if (chosen.length === 0) {
  console.error(
    `no such target: ${values.target.join(', ')}; there are ${platforms.map(({ target }) => target).join(', ')}`,
  )
  process.exit(2)
}

/** @type {{ version: string, devDependencies: { bun: string } }} */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { version } = manifest
const dist = join(root, 'dist')
const folder = join(dist, 'release')
const epochSeconds = Number(run('git', ['log', '-1', '--format=%ct']).trim())
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const targets = chosen.flatMap(({ build }) => ['--target', build])
const code = await runChild(process.execPath, [join(root, 'scripts', 'build.mjs'), ...targets], { cwd: root })
if (code !== 0) process.exit(code)

for (const { target, build, deb, rpm } of chosen) {
  const executable = join(dist, `nines-${build}`)
  console.log(`packing ${target}, which takes some minutes`)
  archive(executable, target)
  const options = { executable, version, epochSeconds }
  if (deb) makeDeb({ ...options, architecture: deb, outfile: join(folder, `nines_${version}_${deb}.deb`) })
  if (deb) {
    const packages = join(dist, 'image-packages', deb)
    fetchBasePackages(deb, packages)
    const outfile = join(folder, `nines-${version}-image-${deb}.tar`)
    makeImage({ ...options, architecture: deb, packages, outfile })
  }
  if (rpm) makeRpm({ ...options, architecture: rpm, outfile: join(folder, `nines-${version}-1.${rpm}.rpm`) })
}
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
writeFileSync(join(folder, `nines-${version}.cdx.json`), sbomOf(lock, { version, bun: manifest.devDependencies.bun }))
const names = readdirSync(folder).toSorted()
const sums = names.map(
  (name) =>
    `${createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')}  ${name}\n`,
)
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
for (const name of names) console.log(`${(statSync(join(folder, name)).size / 1e6).toFixed(1).padStart(6)} MB  ${name}`)
console.log(`\n${folder}: sign SHA256SUMS as SHA256SUMS.asc, see docs/releasing.md`)

/**
 * Packs the executable, as `nines`, with the notices. The same files give the same archive.
 * @param {string} executable
 * @param {string} target
 */
function archive(executable, target) {
  const stage = join(folder, `nines-${version}-${target}`)
  mkdirSync(stage)
  copyFileSync(executable, join(stage, 'nines'))
  copyFileSync(join(root, 'THIRD-PARTY-NOTICES.txt'), join(stage, 'THIRD-PARTY-NOTICES.txt'))
  const name = `nines-${version}-${target}`
  const flags = [
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--sort=name',
    '--mode=u=rwX,go=rX',
    `--mtime=@${epochSeconds}`,
  ]
  run('tar', [...flags, '-C', folder, '-cf', join(folder, `${name}.tar`), name])
  rmSync(stage, { recursive: true })
  run('xz', ['-6', '--threads=2', join(folder, `${name}.tar`)])
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`)
  return stdout
}
