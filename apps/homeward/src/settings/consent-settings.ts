import * as z from 'zod'

/** Settings for the consent of the owner, who is asked before anything leaves the device. */
export const consentVariables = z.object({
  DEVICE_CONSENT: z.enum(['ask', 'off'], 'must be "ask" or "off"').optional(),
  DEVICE_CONSENT_COMMAND: z.string().optional(),
  DEVICE_CONSENT_TIMEOUT_MS: z
    .string()
    .regex(/^\d{1,9}$/, 'must be milliseconds')
    .transform(Number)
    .pipe(z.number().min(100).max(604_800_000))
    .default(300_000),
})

type Variables = z.output<typeof consentVariables>

/** How the owner of a device is asked. */
export interface ConsentSettings {
  /** Milliseconds until silence is a no. */
  readonly timeoutMs: number
  /** Path of a program that decides. The commands `allow` and `deny` work as well. */
  readonly program: string | undefined
}

/** Finds variables that contradict each other, because then the device could send something without asking. */
export const consentProblems =
  (environment: NodeJS.ProcessEnv) =>
  (variables: Variables): readonly string[] => {
    if (variables.DEVICE_CONSENT === 'off' && variables.DEVICE_CONSENT_COMMAND !== undefined)
      return ['DEVICE_CONSENT_COMMAND: must be empty while DEVICE_CONSENT is "off"']
    if (toConsent(variables) === undefined || environment['DEVICE_CATALOG']?.trim() !== 'on') return []
    return [
      'DEVICE_CATALOG: must be "off" while the owner is asked, because a catalog leaves the device unasked',
    ]
  }

/** Undefined if nobody is asked. */
export function toConsent({
  DEVICE_CONSENT: consent,
  DEVICE_CONSENT_COMMAND: program,
  DEVICE_CONSENT_TIMEOUT_MS: timeoutMs,
}: Variables): ConsentSettings | undefined {
  return consent === 'ask' || program !== undefined ? { timeoutMs, program } : undefined
}
