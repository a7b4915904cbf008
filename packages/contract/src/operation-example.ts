/** A recorded request of an operation with its response. */
export interface OperationExample {
  readonly request: {
    /** Path with parameters and query, such as `/api/devices?limit=10`. */
    readonly path: string
    /** Relevant request headers. @default no relevant headers */
    readonly headers?: Readonly<Record<string, string>>
    /** Request body: parsed JSON, or a text. A form is an object of its parts. Absent without a body. */
    readonly body?: unknown
  }
  readonly response: {
    readonly status: number
    /** Relevant response headers. @default no relevant headers */
    readonly headers?: Readonly<Record<string, string>>
    /** Response body: parsed JSON, or a text. */
    readonly body: unknown
  }
}

/** Examples of an HTTP API by operation id. */
export type OperationExamples = Readonly<Record<string, OperationExample>>
