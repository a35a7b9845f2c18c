/** Sum as SQLite adds REAL values: Kahan-Babuska-Neumaier summation. */
export class CompensatedSum {
  #sum = 0
  #lost = 0

  add(value: number): void {
    const before = this.#sum
    this.#sum = before + value
    this.#lost += Math.abs(before) > Math.abs(value) ? before - this.#sum + value : value - this.#sum + before
  }

  value(): number {
    return Number.isFinite(this.#lost) ? this.#sum + this.#lost : this.#sum
  }
}
