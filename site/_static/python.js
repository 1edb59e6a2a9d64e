// Python in the page: MicroPython runs in a worker, one call after the other.
(() => {
  const PATIENCE_MS = 15_000;
  const here = document.currentScript.src;
  let loading, worker, stop;
  let queue = Promise.resolve();

  function load() {
    loading ??= new Promise((done, fail) => {
      const script = document.createElement("script");
      script.src = new URL("micropython.js", here);
      script.onload = () => done(window.clockworkPython);
      script.onerror = () => fail(new Error("micropython.js did not load"));
      document.head.append(script);
    });
    loading.catch(() => (loading = undefined)); // the next run tries again
    return loading;
  }

  async function answered(patience, call, given) {
    const packed = await load();
    if (!worker) {
      const address = URL.createObjectURL(new Blob([packed.worker], { type: "text/javascript" }));
      worker = new Worker(address);
    }
    let timer;
    const answer = await new Promise((done, fail) => {
      stop = (stopped) => done({ stopped });
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = fail;
      worker.postMessage({ packed, call, given });
      const told = `Stopped after ${patience / 1000} seconds: is there a loop without an end?`;
      timer = setTimeout(() => stop(told), patience);
    });
    clearTimeout(timer);
    if (answer.stopped || answer.failed) {
      worker.terminate();
      worker = undefined;
    }
    if (answer.failed) throw new Error(answer.failed);
    return answer;
  }

  const inTurn = (...asked) => (queue = queue.catch(() => {}).then(() => answered(...asked)));

  window.pePython = {
    // Call a function, for example "cell.run"; the answer has what it `said` and `printed`, or says that it was `stopped`.
    run: (call, ...given) => inTurn(PATIENCE_MS, call, given),
    within: (patience, call, ...given) => inTurn(patience, call, given),
    stop: (words) => stop(words),
  };
})();
