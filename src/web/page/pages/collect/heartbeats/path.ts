/** Path of the list in the API. */
export const heartbeats = '/embedded/heartbeats'

/** Address of the page of a heartbeat. */
export function heartbeatPath(id: number): string {
  return `/collect/heartbeats?id=${id}`
}
