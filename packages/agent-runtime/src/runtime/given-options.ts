import type { RuntimeOptions } from './runtime-options.ts'

/** Those of the options that the host has set. */
export function givenOptions<Key extends keyof RuntimeOptions>(
  options: RuntimeOptions,
  keys: readonly Key[],
): { [Each in Key]?: NonNullable<RuntimeOptions[Each]> } {
  const found = keys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]]))
  return Object.fromEntries(found) as { [Each in Key]?: NonNullable<RuntimeOptions[Each]> } // of those keys only
}
