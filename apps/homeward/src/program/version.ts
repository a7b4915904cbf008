import manifest from '../../package.json' with { type: 'json' }

/** The version of this package, such as `0.1.0`. A JSON module, because one executable has no file to read it from. */
export const homewardVersion: string = manifest.version
