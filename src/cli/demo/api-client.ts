/** Calls the API inside this process, not over the network. Throws an error with the message of a refused request. */
export type ApiCall = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

/** Creates a client that passes its requests to `handle`. `token`: access token; null for routes that are open to all. */
export function createApiClient(handle: (request: Request) => Promise<Response>, token: string | null): ApiCall {
  return async (method, path, body) => {
    const headers = {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await handle(new Request(`http://localhost/api/v1${path}`, { method, headers, ...sent }))
    const answer: Record<string, unknown> = JSON.parse(await response.text())
    if (response.ok) return answer
    throw new Error(`the demo could not ${method} ${path}: ${String(answer['error'])}, ${String(answer['details'])}`)
  }
}
