const refusals: Readonly<Record<string, string>> = {
  consent_denied: 'The owner of the device denied this request.',
  consent_timeout: 'The owner of the device did not answer in time, so nothing was sent.',
}

/** The error of a search or an upload request in words. */
export const describeError = (error: string | null | undefined): string | undefined =>
  error === null || error === undefined ? undefined : (refusals[error] ?? error)
