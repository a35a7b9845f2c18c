/** Help text of a metric, with its type. */
export function helpWords({ help, type }: { help: string; type: string }): string {
  return type === 'unknown' ? help : `${help} (${type})`
}
