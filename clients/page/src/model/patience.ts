/** How long an answer may take before the page goes on with what it knows without it. */
export const PATIENCE_MS = 3000;

/** Returns the answer; calls `onLate` meanwhile where it takes long. */
export async function awaitPatiently<Answer>(answer: Promise<Answer>, onLate: () => void): Promise<Answer> {
  const timer = setTimeout(onLate, PATIENCE_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the answer, or null where it takes long; it may come later. */
export function withinPatience<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  return new Promise((resolve, reject) => {
    awaitPatiently(answer, () => resolve(null)).then(resolve, reject);
  });
}
