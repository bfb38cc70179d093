// The site's search runs in a worker, which browsers refuse to pages that are opened from disk. There, and only there, a
// hidden frame takes the worker's place: it loads the same script, and passes the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      const start = () => {
        document.body.append(this.frame);
        this.open(new URL(url, document.baseURI));
      };
      document.body ? start() : addEventListener("DOMContentLoaded", start);
    }

    open(url) {
      const inside = this.frame.contentWindow;
      const load = (source) =>
        new Promise((done, failed) => {
          const script = inside.document.createElement("script");
          script.src = new URL(source, url);
          script.onload = done;
          script.onerror = failed;
          inside.document.body.append(script);
        });
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      // What the script posts comes out here; what is posted to it goes in as an event of the frame.
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data });
        this.onmessage?.(message);
        this.dispatchEvent(message);
      };
      load(url).then(() => {
        this.inside = inside;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      });
    }

    postMessage(data) {
      if (this.inside) this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
