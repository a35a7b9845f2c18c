/** Sum as SQLite adds REAL values: Kahan-Babuska-Neumaier summation. */
export class CompensatedSum {
  #sum = 0
  #roundingErrors = 0

  add(value: number): void {
    const previous = this.#sum
    this.#sum = previous + value
    this.#roundingErrors +=
      Math.abs(previous) > Math.abs(value) ? previous - this.#sum + value : value - this.#sum + previous
  }

  value(): number {
    // a sum that is infinite or NaN makes the rounding errors NaN
    return Number.isFinite(this.#roundingErrors) ? this.#sum + this.#roundingErrors : this.#sum
  }
}
