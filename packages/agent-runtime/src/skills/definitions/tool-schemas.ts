import * as z from 'zod/mini'

const maxSeconds = 3600
const name = z.string().check(z.minLength(1), z.maxLength(200))
const environmentName = z
  .string()
  .check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be the name of an environment variable'))
const headerName = z.string().check(z.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be a header name'))
const headerValue = z
  .string()
  .check(z.maxLength(8192), z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of text'))
// YAML makes numbers and booleans of what people mean as text
const scalarText = z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String))

const anyTool = {
  id: z
    .string()
    .check(
      z.regex(
        /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$/,
        'must be 1 to 128 letters, digits, "_", "-", ".", ":" or "/"',
      ),
    ),
  description: z.string().check(z.trim(), z.minLength(1), z.maxLength(8192)),
  parameters: z.optional(z.unknown()),
  timeout: z.optional(z.number().check(z.gt(0), z.lte(maxSeconds))),
  effects: z.optional(z.enum(['read', 'write', 'external'])),
  idempotent: z.optional(z.boolean()),
  repeat: z.optional(z.enum(['safe', 'once'])),
}

const method = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text: string) => text.toUpperCase()),
  ),
  z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
)
const path = z.string().check(
  z.minLength(1),
  z.maxLength(4096),
  z.refine(
    (text) => !hasControls(text) && !text.includes('\\'),
    'must not contain control characters or "\\"',
  ),
)

/** An HTTP entry of a tools.yaml (A17). Unknown keys are ignored: skills are published for many runtimes. */
export const HttpEntry = z.object({
  ...anyTool,
  method: z.optional(method),
  path,
  verify: z.optional(z.object({ method: z.optional(method), path, when: z.optional(z.looseObject({})) })),
  undo: z.optional(z.object({ method: z.optional(method), path })),
  headers: z.optional(z.record(headerName, z.pipe(scalarText, headerValue))),
  list: z.optional(
    z.object({
      rows: z._default(z.string().check(z.maxLength(200)), ''),
      fields: z._default(z.array(name).check(z.maxLength(50)), []),
      count_by: z._default(z.array(name).check(z.maxLength(5)), []),
    }),
  ),
  auth: z.optional(
    z
      .object({
        credential: z
          .string()
          .check(
            z.regex(
              /^[A-Za-z_][\w.-]{0,199}$/,
              'must be the name of an environment variable or a key of the config',
            ),
          ),
        in: z._default(z.enum(['header', 'query']), 'header'),
        name: z.optional(name),
        scheme: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_.-]{0,50}$/, 'must be one word'))),
      })
      .check(
        z.refine((auth) => auth.in === 'query' || z.safeParse(z.optional(headerName), auth.name).success, {
          error: 'must be a header name',
          path: ['name'],
        }),
      ),
  ),
})
export type HttpEntry = z.infer<typeof HttpEntry>

const argument = z.pipe(
  scalarText,
  z.string().check(
    z.maxLength(8192),
    z.refine((text) => !text.includes('\0'), 'must not contain a NUL character'),
  ),
)

/** An exec entry of a tools.yaml (A16). */
export const ExecEntry = z.object({
  ...anyTool,
  command: z
    .array(
      argument,
      'must be a list such as [python3, scripts/run.py], because commands do not run in a shell',
    )
    .check(z.minLength(1), z.maxLength(100)),
  args: z.optional(z.array(argument).check(z.maxLength(200))),
  stdin: z.optional(z.enum(['json', 'none'])),
  env: z.optional(z.array(environmentName).check(z.maxLength(100))),
  max_output: z.optional(z.int().check(z.gte(1), z.lte(16 * 1024 * 1024))),
  output: z.optional(z.enum(['text', 'json'])),
  network: z.optional(z.array(name).check(z.maxLength(100))),
})
export type ExecEntry = z.infer<typeof ExecEntry>

/** Whether a text holds characters that no address and no argument has. */
function hasControls(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return /[\u0000-\u001f\u007f]/.test(text)
}
