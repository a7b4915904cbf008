import { installOnce } from '../../scripts/install-once.ts'

/** Installs what the measurements hold against, once. It is no part of the workspace: it takes about 300 MB. */
export const installPeers = (): Promise<void> =>
  installOnce(new URL('.', import.meta.url), 'the libraries to compare with')
