import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** Validity in ms; `names`: DNS names, the first is also the subject. */
type Options = { names: string[]; fromMs: number; untilMs: number; issuer?: MadeCertificate; organization?: string }

/** Certificate in PEM with its key, and what it is for signing others. */
export type MadeCertificate = { cert: string; key: string; fingerprint: string; name: Buffer; signer: KeyObject }

/** Makes a certificate of an own key: signed by `issuer`, otherwise by itself. For test servers. */
export function makeCertificate({ names, fromMs, untilMs, issuer, organization }: Options): MadeCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(
    ...(organization === undefined ? [] : [attribute('55040a', organization)]),
    attribute('550403', names[0] ?? ''),
  )
  const signer = issuer?.signer ?? privateKey
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(8))])),
    ecdsa,
    issuer?.name ?? name,
    sequence(time(fromMs), time(untilMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(names, issuer === undefined))),
  )
  const signature = sign('sha256', body, signer)
  const der = sequence(body, ecdsa, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    fingerprint: createHash('sha256').update(der).digest('hex'),
    name,
    signer: privateKey,
  }
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]) => tagged(0x30, ...parts)
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'))
const ecdsa = sequence(oid('2a8648ce3d040302'))

const attribute = (type: string, text: string) => tagged(0x31, sequence(oid(type), tagged(0x0c, Buffer.from(text))))

/** A GeneralizedTime, in whole seconds. */
function time(ms: number): Buffer {
  return tagged(0x18, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`))
}

/** The names, and, of a certificate that signs itself, that it may sign others. */
function extensions(names: string[], isAuthority: boolean): Buffer[] {
  const alternatives = sequence(...names.map((one) => tagged(0x82, Buffer.from(one))))
  const all = [sequence(oid('551d11'), tagged(0x04, alternatives))]
  if (!isAuthority) return all
  return [...all, sequence(oid('551d13'), tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))))]
}
