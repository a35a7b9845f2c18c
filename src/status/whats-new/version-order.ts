/** Orders two versions as semantic versioning does: negative if the first is older. */
export const order = (one: string, other: string): number => Bun.semver.order(one, other)
