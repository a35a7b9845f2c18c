/** Which keys a pattern means: with `*` or `?` a glob over the whole key, otherwise what begins with it. */
export function keyMatcher(pattern: string): (key: string) => boolean {
  if (!/[*?]/.test(pattern)) return (key) => key.startsWith(pattern)
  const wanted = [...pattern]
  return (key) => fitsGlob(wanted, [...key])
}

/** Goes back to the latest `*` only, so that no pattern takes longer than pattern times key. */
function fitsGlob(pattern: string[], key: string[]): boolean {
  let at = 0
  let star = -1
  let resumeAt = 0
  for (let next = 0; next < key.length;) {
    if (pattern[at] === '*') {
      star = at
      at += 1
      resumeAt = next
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === key[next])) {
      at += 1
      next += 1
    } else if (star >= 0) {
      at = star + 1
      resumeAt += 1
      next = resumeAt
    } else {
      return false
    }
  }
  return pattern.slice(at).every((char) => char === '*')
}
