import { getCACertificates, setDefaultCACertificates } from 'node:tls'

const usual = getCACertificates('default')
const added: { certificate: string }[] = []

/** This process trusts a certificate until the function that is returned is called, whatever else it trusts by then. */
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
