/** Tooltip of a placeholder, which is put into the template. */
export function insertLabel(placeholder: string): string {
  return `Insert ${placeholder}`
}
