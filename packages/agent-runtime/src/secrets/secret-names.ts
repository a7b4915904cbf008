/** Names under which people keep secrets in an environment, a config, a header: `OPENAI_API_KEY`, `db_password`. */
const secretName = /(?:key|token|secret|password|passphrase|passwd|credential|authorization|cookie)s?$/i

/** Whether what stands under a name is taken for a secret, where nothing better is known about it. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}
