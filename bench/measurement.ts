/** What one measurement found, against what it has to reach. */
export interface Measurement {
  readonly name: string
  readonly value: number
  /** What the value is held against in the same run, in the same unit. */
  readonly floor?: number
  readonly unit: string
  /** `value` over `floor`. */
  readonly ratio?: number
  /** The same in the CPU time of the process itself: what others do on the machine hardly moves it. */
  readonly cpuRatio?: number
  readonly target?: { readonly atLeast: number } | { readonly atMost: number }
  readonly passed?: boolean
  /** Further figures, for the JSON line. */
  readonly details?: Readonly<Record<string, number>>
}
