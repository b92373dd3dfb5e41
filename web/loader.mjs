// What Trunk calls while it fetches and starts the app. It lies apart from the shell because Trunk copies it alone,
// under a name that changes with its content.

export default function loader() {
  const { loading, fail, mayStart } = window.switchyardShell;
  return {
    onStart() {
      // Thrown before the first byte is fetched: without WebGL2 nothing of it could run.
      if (!mayStart()) throw Object.assign(new Error('the app is not started'), { name: 'NotStarted' });
    },
    onProgress: loading.progress,
    onComplete: loading.starting,
    onFailure(reason) {
      fail('start', reason);
    },
  };
}
