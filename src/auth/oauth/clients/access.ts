import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../../db/open.ts'
import type { Form } from '../../../http/bodies/form.ts'
import { findOAuthClient, type OAuthClientRow } from './store.ts'
import { OAuthError } from '../error.ts'
import { hashOpaqueToken } from '../../sessions/tokens.ts'

/** Client authentication in a request of an application: fields of its form, and the `Authorization` header. */
export type Call = { form: Form; authorization: string | null }

/**
 * Identifies the application that makes a call, by HTTP Basic or in the form (RFC 6749, 2.3.1); one without a secret by its
 * `client_id` alone. Throws `invalid_client`.
 */
export async function identifyClient(db: Db, { form, authorization }: Call): Promise<OAuthClientRow> {
  const { id, secret } = authorization === null ? claimInForm(form) : claimInHeader(authorization, form)
  const client = id === undefined ? undefined : await findOAuthClient(db, id)
  if (!client || !matchesSecret(client.secret_hash, secret)) throw notIdentified()
  return client
}

type Claimed = { id: string | undefined; secret: string | undefined }

const claimInForm = (form: Form): Claimed => ({ id: form.get('client_id'), secret: form.get('client_secret') })

function claimInHeader(authorization: string, form: Form): Claimed {
  const encoded = /^Basic +([\w+/-]+=*)$/i.exec(authorization)?.[1]
  if (encoded === undefined) throw notIdentified()
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 0) throw notIdentified()
  const id = formDecoded(text.slice(0, colon))
  if (form.has('client_secret') || (form.get('client_id') ?? id) !== id) {
    throw new OAuthError('invalid_request', 'must use one way of client authentication only')
  }
  return { id, secret: formDecoded(text.slice(colon + 1)) || undefined }
}

/** Decodes a half of the Basic credentials: both are form-encoded before they are joined. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw notIdentified()
  }
}

function matchesSecret(expectedHash: string | null, secret: string | undefined): boolean {
  if (expectedHash === null || secret === undefined) return expectedHash === null && secret === undefined
  return timingSafeEqual(Buffer.from(expectedHash), Buffer.from(hashOpaqueToken(secret)))
}

function notIdentified(): OAuthError {
  return new OAuthError('invalid_client', 'unknown client, or wrong or missing secret')
}
