/**
 * @typedef {{ version: string, license?: string, integrity?: string, dev?: boolean, optional?: boolean, dependencies?: Record<string, string> }} LockedPackage
 * @typedef {{ name: string, version: string, packages: Record<string, LockedPackage> }} Lock
 */

/**
 * Bill of materials in CycloneDX 1.6: the packages of package-lock.json that are installed for production, and the runtime. The same
 * lock gives the same text.
 * @param {Lock} lock
 * @param {{ version: string, bun: string }} versions
 */
export function sbomOf(lock, { version, bun }) {
  const locked = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const components = locked.map(([path, one]) => componentOf(path.slice(path.lastIndexOf('node_modules/') + 13), one))
  const runtime = {
    type: 'framework',
    'bom-ref': `bun@${bun}`,
    name: 'bun',
    version: bun,
    purl: `pkg:github/oven-sh/bun@bun-v${bun}`,
    licenses: [{ license: { id: 'MIT' } }],
  }
  const byRef = new Map([...components, runtime].map((one) => [one['bom-ref'], one]))
  const all = [...byRef.values()].toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const self = { type: 'application', 'bom-ref': `nines@${version}`, name: 'nines', version }
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: self },
    components: all,
    dependencies: [{ ref: self['bom-ref'], dependsOn: all.map((one) => one['bom-ref']) }],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/**
 * @param {string} name
 * @param {LockedPackage} locked
 */
function componentOf(name, { version, license, integrity = '' }) {
  const [algorithm, hash = ''] = integrity.split('-')
  const content = Buffer.from(hash, 'base64').toString('hex')
  return {
    type: 'library',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license && { licenses: [/ |\(/.test(license) ? { expression: license } : { license: { id: license } }] }),
    ...(algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content }] }),
  }
}
