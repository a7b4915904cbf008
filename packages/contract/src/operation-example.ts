/** A recorded request of an operation, and the response to it. */
export interface OperationExample {
  readonly request: {
    /** Path with its parameters filled in, and the query: `/api/devices?limit=10`. */
    readonly path: string
    /** @default none that matter */
    readonly headers?: Readonly<Record<string, string>>
    /** Parsed if it is JSON; otherwise its text. A form is an object of its parts. Absent: the request has no body. */
    readonly body?: unknown
  }
  readonly response: {
    readonly status: number
    /** @default none that matter */
    readonly headers?: Readonly<Record<string, string>>
    /** Parsed if it is JSON; otherwise its text. */
    readonly body: unknown
  }
}

/** Examples of an interface by the id of their operation. */
export type OperationExamples = Readonly<Record<string, OperationExample>>
