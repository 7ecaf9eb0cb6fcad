package dev.semel.worker;

import java.lang.reflect.Constructor;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Makes commands and groups of options; those that ask for the context get it. */
final class ContextFactory implements IFactory {

  private final Context context;

  ContextFactory(Context context) {
    this.context = context;
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      if (constructor.getParameterCount() == 1
          && constructor.getParameterTypes()[0] == Context.class) {
        return type.cast(constructor.newInstance(context));
      }
    }
    return CommandLine.defaultFactory().create(type);
  }
}
