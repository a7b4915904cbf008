/** An application, with what is needed to tell whether it runs. */
export interface InstalledApp {
  readonly name: string
  /** Names in other languages; searched, not shown. */
  readonly otherNames?: readonly string[]
  /** Program, bundle or folder; empty when the system does not say. */
  readonly path: string
  readonly running: boolean
}
