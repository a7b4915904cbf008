/** Folder in a workspace with the full texts of results that prompts show shortened. */
export const resultsFolder = 'results'

const resultName = /^[0-9a-f]{24}\.txt$/

/**
 * Whether a file of {@link resultsFolder} is a stored result. They are read by their names, which are hard to guess, and are not
 * listed: runs of several users share a workspace.
 */
export const isResultName = (name: string): boolean => resultName.test(name)
