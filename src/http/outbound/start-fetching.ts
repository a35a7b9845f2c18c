/**
 * The first `fetch` starts a thread, for which Bun ends the process where there are no file descriptors left; every later one
 * only fails. So the first is made at the start, to where nobody is.
 */
export async function startFetching(): Promise<void> {
  await fetch('http://localhost/', { unix: '/nobody/listens/here' }).catch(() => {})
}
