import { errorOf, request } from './client.ts'

/** Sends a request that needs no session and does not affect one: a 401 is about the body. Throws `ApiError`. */
export async function postOpen<T>(path: string, body: object): Promise<T> {
  const response = await request('POST', path, { body }, null)
  if (!response.ok) throw await errorOf(response)
  return (await response.json()) as T
}
