/** Splits releases, newest first: the new ones, or the newest if none is new, and those before them. */
export function shownReleases<R extends { is_new: boolean }>(releases: readonly R[]): { shown: R[]; earlier: R[] } {
  const count = releases.filter(({ is_new }) => is_new).length || 1
  return { shown: releases.slice(0, count), earlier: releases.slice(count) }
}
