/** Sum as SQLite adds REAL values: Kahan-Babuska-Neumaier summation. */
export class CompensatedSum {
  #sum = 0
  #roundingErrors = 0

  add(value: number): void {
    const before = this.#sum
    this.#sum = before + value
    this.#roundingErrors += Math.abs(before) > Math.abs(value) ? before - this.#sum + value : value - this.#sum + before
  }

  value(): number {
    // a sum that is infinite or NaN makes the rounding errors NaN
    return Number.isFinite(this.#roundingErrors) ? this.#sum + this.#roundingErrors : this.#sum
  }
}
