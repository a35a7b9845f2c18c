/** Help text of a metric, with its type. */
export function helpWords({ help, type }: { help: string; type: string }): string {
  return type === 'unknown' ? help : `${help} (${type})`
}

export function operatorLabel(label: string): string {
  return `Operator of ${label}`
}

export function valueLabel(label: string): string {
  return `Value of ${label}`
}

export function removeFilterLabel(label: string): string {
  return `Remove the filter on ${label}`
}

/** Label of the field that adds a label to a list of filters. */
export function addLabelLabel(filters: string): string {
  return `${filters}: add a label`
}
