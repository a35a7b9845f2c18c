import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts what must be stored but never shown, such as a source's credentials. */
export type Seal = {
  /** AES-256-GCM; base64 of nonce (12 bytes), tag (16 bytes) and ciphertext. */
  close(plain: string): string
  /** The plain text again; throws if the key is another one or the text was changed. */
  open(sealed: string): string
}

/** `key`: 32 bytes. */
export function createSeal(key: Buffer): Seal {
  return {
    close(plain) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
