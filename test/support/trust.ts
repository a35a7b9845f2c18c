import { getCACertificates, setDefaultCACertificates } from 'node:tls'

const usual = getCACertificates('default')
const added: { certificate: string }[] = []

/** Trusts a certificate in this process until the returned function is called. Independent of other trusted certificates. */
export function trust(certificate: string): () => void {
  const entry = { certificate }
  added.push(entry)
  apply()
  return () => {
    const at = added.indexOf(entry)
    if (at < 0) return
    added.splice(at, 1)
    apply()
  }
}

function apply() {
  setDefaultCACertificates([...usual, ...added.map(({ certificate }) => certificate)])
}
